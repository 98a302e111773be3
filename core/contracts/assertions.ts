import { assert } from './clause.ts';

/** Asserts that two values are the same one. @throws Error with both. */
export function assertIs(actual: unknown, expected: unknown, what = 'It'): void {
  assert(Object.is(actual, expected), `${what} must be ${printed(expected)}; it was ${printed(actual)}`);
}

/** Asserts that two values are the same as data: members of objects may come in any order. @throws Error with both. */
export function assertEqual(actual: unknown, expected: unknown, what = 'It'): void {
  assert(isSame(actual, expected), `${what} must be ${printed(expected)}; it was ${printed(actual)}`);
}

/** Asserts that a text, or the message of an error, matches a pattern. @throws Error with both. */
export function assertMatches(actual: unknown, pattern: RegExp): void {
  assert(pattern.test(String(actual)), `It must match ${pattern}; it was ${printed(String(actual))}`);
}

/** Asserts that a call throws an error whose message matches a pattern. @throws Error with what happened instead. */
export function assertThrows(call: () => unknown, pattern: RegExp): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  assert(thrown instanceof Error, 'It must throw an error', thrown);
  assertMatches(thrown, pattern);
}

/** Asserts that an error has a code. @throws Error with both. */
export function assertCode(error: unknown, code: string): void {
  assertIs((error as { readonly code?: unknown }).code, code, 'The code of the error');
}

/** Returns the error that a promise rejects with. @throws Error when it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error(`It must reject, and resolved with ${printed(value)}`);
}

/** Compares two values as data: members of objects may come in any order. */
export function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return Object.is(left, right);
  const keys = Object.keys(left);
  const isSameKind = Array.isArray(left) === Array.isArray(right) && isBytes(left) === isBytes(right);
  if (!isSameKind || keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSame(left[key as never], right[key as never]));
}

function isBytes(value: object): boolean {
  return value instanceof Uint8Array;
}

function printed(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 2000);
}
