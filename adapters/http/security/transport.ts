import { isIP } from 'node:net';
import type { HttpRequest } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from '../request/header.ts';
import { type TrustedProxies, unmapIpv4 } from './networks.ts';

/**
 * The host names over which credentials may travel without TLS, because they never leave the machine. No setting adds
 * to them.
 */
const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', 'horarium.local']);

/** The headers that proxies add. A request with one of them has come from another machine, whatever its host name. */
const proxyHeaders: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);

/** Returns the client's address, as far as it can be trusted: the right-most hop that is not a trusted proxy. */
export function clientAddress(request: HttpRequest, proxies: TrustedProxies): string {
  if (!proxies.includes(request.peer)) return unmapIpv4(request.peer);
  const hops = (header(request, 'x-forwarded-for') ?? '').split(',').map((hop) => withoutPort(hop.trim()));
  let client = request.peer;
  while (proxies.includes(client)) {
    const hop = hops.pop();
    if (!hop || isIP(hop) === 0) break;
    client = hop;
  }
  return unmapIpv4(client);
}

/** Returns the address of a hop to which a proxy adds the port, `203.0.113.7:4711` or `[2001:db8::7]:4711`; any other as it is. */
function withoutPort(hop: string): string {
  return /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(hop)?.slice(1).find(Boolean) ?? hop;
}

/**
 * Checks that credentials do not travel over a connection that others can read.
 * @throws HttpProblem 403, before any credentials are read.
 */
export function requireHttps(request: HttpRequest, proxies: TrustedProxies): void {
  if (isSecure(request, proxies) || isLocal(request)) return;
  throw new HttpProblem(
    'https_required',
    'Credentials are taken over HTTPS only, except on localhost: set tls_cert and tls_key, or put a proxy with a certificate ' +
      'in front and name it in trust_proxy.',
  );
}

/** Whether the client's own connection is TLS, here or at a trusted proxy. */
export function isSecure(request: HttpRequest, proxies: TrustedProxies): boolean {
  if (request.encrypted) return true;
  if (!proxies.includes(request.peer)) return false;
  // The right-most value is the trusted proxy's own; those before it may have come from the client.
  return header(request, 'x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https';
}

function isLocal(request: HttpRequest): boolean {
  const hosts = request.headers['host'];
  if (hosts?.length !== 1) return false;
  for (const name in request.headers) if (isProxyHeader(name)) return false;
  const name = (hosts[0] as string).toLowerCase().replace(/:\d*$/, '');
  return localHosts.has(name);
}

function isProxyHeader(name: string): boolean {
  return proxyHeaders.has(name) || name.startsWith('x-forwarded-');
}
