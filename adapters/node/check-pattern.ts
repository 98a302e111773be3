import { RE2JS } from 're2js';

/**
 * Checks that a text is a regular expression which can be matched in linear time.
 * @throws Error that says why it is not.
 */
export function checkPattern(pattern: string): void {
  RE2JS.compile(pattern);
}

/** Whether a path matches a pattern, anywhere in it. */
export function matchesPattern(pattern: string, path: string): boolean {
  return RE2JS.compile(pattern).matcher(path).find();
}
