/** The mistake of one field, as a 422 names it. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A response that is no success, or none at all: its message is a sentence for people. */
export class Problem extends Error {
  /** 0 = no response arrived. */
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldProblem[];

  constructor(status: number, code: string, message: string, errors: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Returns a sentence about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
