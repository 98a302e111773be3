/** The entry point `@horarium/core/store`: what an implementation of the store port needs besides the port itself. */

// First, so that an old Node.js is refused before other modules load.
import '../node-version.ts';

export { bound } from '../loop/thread-holder.ts';
export { LruCache } from '../registry/lru-cache.ts';
export { nearestInstant } from '../time/instant.ts';
export { retryTransaction } from './retry-transaction.ts';
export type { StoredSetting } from './setting.ts';
export {
  danglingReference,
  type ForeignKey,
  foreignKeys,
  referencedByUnloaded,
  stillReferenced,
  uniqueViolation,
} from './store-conflicts.ts';
export {
  columnOf,
  jsonText,
  plainColumnOf,
  rejectUnknownColumns,
  storedRowOf,
  storedValue,
  storedValueOf,
} from './stored-values.ts';
export type { AnyRow } from './table.ts';
export { type Session, TransactionTables } from './transaction-tables.ts';
export {
  compareValues,
  type FieldCondition,
  impliesBounds,
  isFieldCondition,
  normalizeWhere,
  predicate,
  withinSteps,
} from './where.ts';
