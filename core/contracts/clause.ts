/**
 * One requirement of a contract that implementations fulfil. Any test runner can check it:
 * `for (const { sentence, check } of formatContract(mine)) it(sentence, check)`.
 */
export interface Clause {
  readonly sentence: string;
  /** Checks the implementation. @throws Error that says what was required and what happened instead. */
  check(): Promise<void>;
}

/** Asserts a condition that the clause requires. @throws Error with the requirement, and with the actual value where it is given. */
export function assert(condition: boolean, requirement: string, actual?: unknown): asserts condition {
  if (!condition)
    throw new Error(actual === undefined ? requirement : `${requirement}; it was ${JSON.stringify(actual)}`);
}
