/** How well something is: `warn` lets the service go on, `fail` keeps it from its work. */
type FindingState = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a check found, and what to do about it. */
export interface Finding {
  readonly state: FindingState;
  readonly found: string;
  /** Empty where nothing has to be done. */
  readonly advice: string;
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: '' };
}

export function warn(found: string, advice: string): Finding {
  return { state: 'warn', found, advice };
}

export function fail(found: string, advice: string): Finding {
  return { state: 'fail', found, advice };
}

/** How many findings of one kind are listed. */
const maxListed = 20;

/**
 * Cuts a list of findings after the first 20, and says how many more there are.
 * @param things what each finding is about, in the plural.
 * @param advice where the others are listed.
 */
export function firstFindings(findings: readonly Finding[], things: string, advice: string): Finding[] {
  const more = findings.length - maxListed;
  return [...findings.slice(0, maxListed), ...(more > 0 ? [warn(`${more} more ${things}`, advice)] : [])];
}
