import type { Tables } from './store.ts';

/** The tables of the same transaction, but for what is given. */
export function withTables(tables: Tables, changes: Partial<Tables>): Tables {
  return {
    now: () => tables.now(),
    state: () => tables.state(),
    of: (description) => tables.of(description),
    tryLock: (name) => tables.tryLock(name),
    afterCommit: (callback) => tables.afterCommit(callback),
    ...changes,
  };
}
