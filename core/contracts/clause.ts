/**
 * A promise of a port, checked by any test runner:
 * `for (const { sentence, check } of formatContract(mine)) it(sentence, check)`.
 */
export interface Clause {
  readonly sentence: string;
  /** @throws Error that says what was promised and what happened instead. */
  check(): Promise<void>;
}

/** @throws Error with the promise, and the actual value where it is given, unless it holds. */
export function must(holds: boolean, promise: string, actual?: unknown): asserts holds {
  if (!holds) throw new Error(actual === undefined ? promise : `${promise}; it was ${JSON.stringify(actual)}`);
}
