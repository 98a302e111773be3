import type { Clause } from '@horarium/core/contracts';

/** Defines a test for each clause of a contract. */
export function defineContractTests(clauses: readonly Clause[]): void {
  for (const { title, check } of clauses) it(title, check);
}
