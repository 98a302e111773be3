import type { Clause } from '@horarium/core/contracts';

/** Checks the clauses of a contract. @returns the messages of those that are violated. */
export async function violations(clauses: readonly Clause[]): Promise<string[]> {
  const found = await Promise.all(
    clauses.map(({ check }) =>
      check().then(
        () => undefined,
        (error: Error) => error.message,
      ),
    ),
  );
  return found.filter((each) => each !== undefined);
}
