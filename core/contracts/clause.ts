/**
 * One requirement of a contract that implementations fulfil. Any test runner can check it:
 * `for (const { title, check } of formatContract(mine)) it(title, check)`.
 */
export interface Clause {
  /** The title of its test: a sentence whose subject is the implementation, or the part of it that it begins with. */
  readonly title: string;
  /** Checks the implementation. @throws Error that names the requirement and what happened instead. */
  check(): Promise<void>;
}

/** Asserts a condition that a clause requires. @throws Error with the requirement, and with the actual value where it is given. */
export function assert(condition: boolean, requirement: string, actual?: unknown): asserts condition {
  if (!condition)
    throw new Error(actual === undefined ? requirement : `${requirement}; it was ${JSON.stringify(actual)}`);
}

/** Returns the clauses of a contract from their checks, by title. */
export function clausesOf(checks: Readonly<Record<string, () => Promise<void>>>): Clause[] {
  return Object.entries(checks).map(([title, check]) => ({ title, check }));
}

/** Makes an empty list of clauses, and a function that adds one to it. */
export function clauseList() {
  const clauses: Clause[] = [];
  const clause = (title: string, check: () => Promise<void> | void) =>
    void clauses.push({ title, check: async () => check() });
  return { clauses, clause };
}
