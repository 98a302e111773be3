/**
 * One requirement of a contract that implementations fulfil. Any test runner can check it:
 * `for (const { title, check } of formatContract(mine)) it(title, check)`.
 */
export interface Clause {
  /** The title of its test, with the implementation as the subject. */
  readonly title: string;
  /** Checks the implementation. @throws Error that names the requirement and what happened instead. */
  check(): Promise<void>;
}

/** Asserts a condition that a clause requires. @throws Error with the requirement, and with the actual value where it is given. */
export function assert(condition: boolean, requirement: string, actual?: unknown): asserts condition {
  if (!condition)
    throw new Error(actual === undefined ? requirement : `${requirement}; it was ${JSON.stringify(actual)}`);
}
