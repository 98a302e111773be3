import type { Tables } from './store.ts';

/** Copies the tables of a transaction with some of their methods overridden. */
export function overrideTables(tables: Tables, overrides: Partial<Tables>): Tables {
  return {
    now: () => tables.now(),
    state: () => tables.state(),
    of: (description) => tables.of(description),
    tryLock: (name) => tables.tryLock(name),
    afterCommit: (callback) => tables.afterCommit(callback),
    ...overrides,
  };
}
