import { pipeline } from '../store/pipeline.ts';
import { QueryCache } from '../store/query-cache.ts';
import type { Store } from '../store/store.ts';
import type { ServiceTime } from './service-time.ts';

/**
 * Returns a store as every transaction of a service sees it: in the time of the service, with cached tables.
 * @param cache that of the process.
 */
export function serviceStore(store: Store, time: ServiceTime, cache = new QueryCache()): Store {
  return pipeline(store, [time.concern, cache.concern]);
}
