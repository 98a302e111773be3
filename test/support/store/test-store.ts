import { allTables, type Clock, MemoryStore, type Store, type TableDescription } from '@horarium/core';
import { withAuditTripwire } from './audit-tripwire.ts';

/** An empty store in memory for one test, under the tripwire: nothing is committed that the audit log does not tell. */
export function openTestStore(clock: Clock, tables: readonly TableDescription[] = allTables): Store {
  return withAuditTripwire(new MemoryStore({ clock, tables }));
}
