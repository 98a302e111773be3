import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const load = createRequire(import.meta.url);

/**
 * Checks that a text is a regular expression which can be matched in linear time.
 * @throws Error that says why it is not.
 */
export function checkPattern(pattern: string): void {
  compile(pattern);
}

let last: { readonly pattern: string; readonly compiled: RE2JS } | undefined;

/**
 * Whether a path matches a pattern, anywhere in it. Compiling takes longer than matching, and callers match many paths
 * against one pattern, so the last one is kept.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  if (last?.pattern !== pattern) last = { pattern, compiled: compile(pattern) };
  return last.compiled.matcher(path).find();
}

function compile(pattern: string): RE2JS {
  // Loaded when first used, because the library is large, and few services have patterns.
  const { RE2JS } = load('re2js') as typeof import('re2js');
  return RE2JS.compile(pattern);
}
