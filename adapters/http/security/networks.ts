import { HorariumError } from '@horarium/core';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** A block of IP addresses: all that share the first `prefix` bits of one. */
type Network = readonly [address: IPv4 | IPv6, prefix: number];

/** The length of the prefix that IPv4 addresses have when they are mapped into IPv6. */
const mappedPrefix = 96;

/**
 * Reads an address or a CIDR block, `10.0.0.7` or `10.0.0.0/8`. One of IPv4 that is mapped into IPv6 is one of IPv4.
 * @param name names the text in the message: `trusted proxy`.
 * @throws HorariumError `invalid` for anything else, and for a block that holds every address.
 */
export function parseNetwork(name: string, text: string): Network {
  const { IPv4, IPv6 } = ipaddr;
  let network: Network | undefined;
  if (IPv4.isValidFourPartDecimal(text)) network = [IPv4.parse(text), 32];
  else if (IPv4.isValidCIDRFourPartDecimal(text)) network = IPv4.parseCIDR(text);
  else if (text.includes(':') && IPv6.isValid(text)) network = [IPv6.parse(text), 128];
  else if (text.includes(':') && IPv6.isValidCIDR(text)) network = IPv6.parseCIDR(text);
  if (!network) throw new HorariumError('invalid', `The ${name} "${text}" is neither an address nor a CIDR block.`);
  const [address, prefix] = network;
  if (address instanceof IPv6 && address.isIPv4MappedAddress() && prefix >= mappedPrefix)
    network = [address.toIPv4Address(), prefix - mappedPrefix];
  if (network[1] === 0) throw new HorariumError('invalid', `The ${name} "${text}" would hold every address.`);
  return network;
}

/** The addresses of reverse proxies whose `X-Forwarded-*` headers are believed. */
export class TrustedProxies {
  readonly #networks: readonly Network[];

  /** @throws HorariumError `invalid` naming the entry that is not a network. */
  constructor(entries: readonly string[]) {
    this.#networks = entries.map((entry) => parseNetwork('trusted proxy', entry));
  }

  includes(address: string): boolean {
    if (this.#networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#networks.some(
      ([network, prefix]) => network.kind() === parsed.kind() && parsed.match(network, prefix),
    );
  }
}

/**
 * Converts an IPv4 address that arrived mapped into IPv6, such as `::ffff:10.0.0.1`, to IPv4; returns any other as it
 * is.
 */
export function unmapIpv4(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;
}

/**
 * Returns the network that one client has to itself: an IPv4 address, or the /64 of an IPv6 one. Limits are counted by
 * it, because a client with IPv6 has 2^64 addresses to come from.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${new ipaddr.IPv6([...parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
