import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { OutboundError } from './outbound-error.ts';
import type { Resolve } from './resolve.ts';

/**
 * Returns a function for the `lookup` of a socket that fails when any address of the name is refused. A socket connects to
 * the very addresses that were judged, so a name that changes its address between two requests wins nothing.
 */
export function guardedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  /** The lookups under way: a name that a thousand requests wait for is resolved once. */
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();
  const resolveOnce = (hostname: string) => {
    const known = pending.get(hostname);
    if (known) return known;
    const addresses = resolve(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, addresses);
    return addresses;
  };
  return (hostname, { all, family }, callback) => {
    resolveOnce(hostname).then(
      (found) => {
        if (found.some(({ address }) => !guard.allows(address))) return callback(refusedHost(hostname), '');
        const wanted = found.filter((each) => !family || each.family === family || family === `IPv${each.family}`);
        const [first] = wanted;
        if (!first) return callback(new OutboundError('failed', `${hostname} has no address`), '');
        if (all) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

/** The error of a host that a request must not reach. It names no address, so that tenants cannot map the network. */
export function refusedHost(host: string): OutboundError {
  return new OutboundError(
    'refused',
    `${host} belongs to this machine or its network, and HORARIUM_OUTBOUND_NETWORKS does not allow it`,
  );
}
