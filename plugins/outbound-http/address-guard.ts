import { BlockList, isIP, isIPv6 } from 'node:net';
import { HorariumError } from '@horarium/core/plugin';
import ipaddr from 'ipaddr.js';

/** IPv4 addresses written in the last 32 bits of an IPv6 one (RFC 4291 deprecates them), which count as unicast otherwise. */
const ipv4Compatible = ipaddr.IPv6.parseCIDR('::/96');

/**
 * Decides which addresses a request of a tenant may reach: the public ones, and the networks that the operator allows.
 * Loopback, link-local, private, multicast and reserved addresses belong to this machine or its network.
 */
export class AddressGuard {
  readonly #allowed = new BlockList();

  /**
   * @param allowed addresses and CIDR blocks: `10.0.0.7`, `fd00::/8`.
   * @throws HorariumError `invalid` naming the one that is neither.
   */
  constructor(allowed: readonly string[]) {
    for (const network of allowed) {
      const [address = '', prefix] = network.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      try {
        if (prefix === undefined) this.#allowed.addAddress(address, family);
        else this.#allowed.addSubnet(address, Number(prefix), family);
      } catch {
        throw new HorariumError('invalid', `The allowed network "${network}" is neither an address nor a CIDR block.`);
      }
    }
  }

  /** @param address an IP address, as a resolver writes it; an IPv4 one that is mapped into IPv6 counts as IPv4. */
  allows(address: string): boolean {
    if (isIP(address) === 0) return false;
    const parsed = ipaddr.process(address);
    if (this.#allowed.check(parsed.toString(), parsed.kind())) return true;
    const isCompatible = parsed instanceof ipaddr.IPv6 && parsed.match(ipv4Compatible);
    return parsed.range() === 'unicast' && !isCompatible;
  }
}
