/**
 * One promise of a port, to be checked by any test runner:
 * `for (const { sentence, check } of formatContract(mine)) it(sentence, check)`.
 */
export interface Clause {
  readonly sentence: string;
  /** @throws Error that says what was promised and what came instead. */
  check(): Promise<void>;
}

/** @throws Error with these words, unless it holds. */
export function must(holds: boolean, words: string, came?: unknown): asserts holds {
  if (!holds) throw new Error(came === undefined ? words : `${words}; it was ${JSON.stringify(came)}`);
}
