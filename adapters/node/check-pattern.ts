import { RE2JS } from 're2js';

/** @throws Error that says why this is not a regular expression which can be matched in linear time. */
export function checkPattern(pattern: string): void {
  RE2JS.compile(pattern);
}
