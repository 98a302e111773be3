import { BlockList, isIP } from 'node:net';
import { HorariumError, type HttpRequest } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from '../request/request.ts';

/**
 * The host names over which credentials may travel without TLS, because they never leave the machine.
 * No setting adds to it.
 */
const relaxedHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', 'horarium.local']);

/** Addresses of proxies whose word about the client counts. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /**
   * @param entries addresses or CIDR blocks, `10.0.0.7` or `10.0.0.0/8`.
   * @throws HorariumError `invalid` for anything else, and for a block that holds every address.
   */
  constructor(entries: readonly string[]) {
    this.#none = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  includes(address: string): boolean {
    if (this.#none) return false;
    const plain = withoutMapping(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }

  #add(entry: string): void {
    const [address = '', bits, more] = entry.split('/');
    const family = isIP(address);
    const longest = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? longest : Number(bits);
    const sound = family !== 0 && more === undefined && /^\d{1,3}$/.test(bits ?? '0') && prefix <= longest;
    if (!sound)
      throw new HorariumError('invalid', `The trusted proxy "${entry}" is neither an address nor a CIDR block.`);
    if (prefix === 0) throw new HorariumError('invalid', `The trusted proxy "${entry}" would trust every address.`);
    this.#list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Who the client is, by what can be believed: the right-most hop that is no trusted proxy. */
export function clientAddress(request: HttpRequest, proxies: TrustedProxies): string {
  if (!proxies.includes(request.peer)) return withoutMapping(request.peer);
  const claimed = (header(request, 'x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  let client = request.peer;
  while (proxies.includes(client)) {
    const hop = claimed.pop();
    if (!hop || isIP(hop) === 0) break;
    client = hop;
  }
  return withoutMapping(client);
}

/**
 * Refuses to take credentials over a connection that others can read.
 * @throws HttpProblem 403, before any credentials are looked at.
 */
export function requireHttps(request: HttpRequest, proxies: TrustedProxies): void {
  if (isSecure(request, proxies) || isRelaxed(request)) return;
  throw new HttpProblem('https_required', 'Credentials are taken over HTTPS only, except on localhost.');
}

/** Whether the client's own connection is TLS, here or at a trusted proxy. */
export function isSecure(request: HttpRequest, proxies: TrustedProxies): boolean {
  if (request.encrypted) return true;
  if (!proxies.includes(request.peer)) return false;
  // The right-most value is the trusted proxy's own; those before it may have come from the client.
  return header(request, 'x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https';
}

function isRelaxed(request: HttpRequest): boolean {
  const hosts = request.headers['host'];
  if (hosts?.length !== 1) return false;
  for (const name in request.headers) if (tellsOfProxy(name)) return false;
  const name = (hosts[0] as string).toLowerCase().replace(/:\d*$/, '');
  return relaxedHosts.has(name);
}

function tellsOfProxy(headerName: string): boolean {
  return headerName === 'forwarded' || headerName.startsWith('x-forwarded-');
}

/** An IPv4 address that arrived in IPv6 clothes, as itself. */
export function withoutMapping(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;
}
