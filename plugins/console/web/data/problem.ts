/** The mistake of one field, as a 422 names it. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A sentence for people: a text in the language of the pages, or one of the service, which speaks English. */
export type Message = string | { readonly english: string };

/** A response that is no success, or none at all. */
export class Problem extends Error {
  /** What it says to people. */
  readonly says: Message;
  /** 0 = no response arrived. */
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldProblem[];

  constructor(status: number, code: string, says: Message, errors: readonly FieldProblem[] = []) {
    super(typeof says === 'string' ? says : says.english);
    this.says = says;
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Returns a sentence about anything that was thrown. */
export function messageOf(error: unknown): Message {
  if (error instanceof Problem) return error.says;
  return error instanceof Error ? { english: error.message } : String(error);
}
