import { RE2JS } from 're2js';

/**
 * Checks that a text is a regular expression which can be matched in linear time.
 * @throws Error that says why it is not.
 */
export function checkPattern(pattern: string): void {
  RE2JS.compile(pattern);
}

let last: { readonly pattern: string; readonly compiled: RE2JS } | undefined;

/**
 * Whether a path matches a pattern, anywhere in it. Compiling takes longer than matching, and callers match many paths
 * against one pattern, so the last one is kept.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  if (last?.pattern !== pattern) last = { pattern, compiled: RE2JS.compile(pattern) };
  return last.compiled.matcher(path).find();
}
