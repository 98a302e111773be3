import dns, { type LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Milliseconds, Semaphore } from '@horarium/core/plugin';

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** How long a name server has for a query, which is sent twice at most. */
const queryTimeout: Milliseconds = 2000;

/**
 * How many names the system resolves at once. Each lookup occupies one of the four threads that Node also reads files with.
 */
const concurrentLookups = 2;

const systemPermits = new Semaphore(concurrentLookups);

/** Resolves as every program of this machine does, with /etc/hosts and the search list, in a thread. */
const systemLookup: Resolve = (hostname) => systemPermits.run(() => dns.promises.lookup(hostname, { all: true }));

export interface ResolverOptions {
  /** Name servers, such as `127.0.0.1:53`. @default those of this machine */
  readonly servers?: readonly string[];
  /** The file of the names that this machine knows by itself. @default '/etc/hosts' */
  readonly hostsFile?: string;
  /** Resolves the names that this machine knows by itself. @default as every program of it does */
  readonly lookup?: Resolve;
}

/**
 * Returns a function that resolves names that tenants write. Those with a dot are asked of the name servers, in which any
 * number may wait: one of a tenant whose name server hangs delays no other. Short names and those of `/etc/hosts`, over
 * which no tenant has power, are resolved by the system.
 */
export function tenantResolver(options: ResolverOptions = {}): Resolve {
  const { servers, hostsFile = '/etc/hosts', lookup = systemLookup } = options;
  const resolver = new dns.promises.Resolver({ timeout: queryTimeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    if (!hostname.includes('.') || (await isListed(hostname, hostsFile))) return lookup(hostname);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [v4, v6].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found.map((address) => ({ address, family: isIP(address) }));
  };
}

/** Whether the file of hosts has the name. */
async function isListed(hostname: string, path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const names = text.replace(/#.*/g, '').toLowerCase().split(/\s+/);
  return names.includes(hostname.toLowerCase());
}
