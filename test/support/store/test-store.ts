import { allTables, type Clock, MemoryStore, type Store, type TableDescription } from '@horarium/core';
import { withAuditTripwire } from './audit-tripwire.ts';

/** Opens an empty store in memory for one test; it refuses to commit writes that the audit log does not record. */
export function openTestStore(clock: Clock, tables: readonly TableDescription[] = allTables): Store {
  return withAuditTripwire(new MemoryStore({ clock, tables }));
}
