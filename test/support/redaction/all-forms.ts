import { searchedForms } from '#core/redaction/forms';

/** Returns what is searched for in order to find secrets, in one step. */
export function allForms(secrets: readonly string[]): string[] {
  const steps = searchedForms(secrets);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return [...step.value];
}
