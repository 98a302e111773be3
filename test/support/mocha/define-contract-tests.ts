import type { Clause } from '@horarium/core/contracts';

/** A test for each promise of a contract. */
export function defineContractTests(clauses: readonly Clause[]): void {
  for (const { sentence, check } of clauses) it(sentence, check);
}
