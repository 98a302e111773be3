import { isPlainObject } from '../field/fields.ts';

/** What every secret looks like from outside, whatever its length. */
export const mask = '••••••••';

/** How an encrypted value begins in a row; a vault writes it, nothing else may. */
export const ciphertextPrefix = 'vault:v1:';

export function isCiphertext(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(ciphertextPrefix);
}

/**
 * A value before and after a change, masked. What is encrypted or masked on one side is masked on both: a value that was
 * written before it was known to be secret is not repeated in the clear.
 */
export function maskPair(was: unknown, is: unknown): [unknown, unknown] {
  if ([was, is].some((value) => isCiphertext(value) || value === mask)) return [masked(was), masked(is)];
  if (Array.isArray(was) && Array.isArray(is)) {
    const pairs = Array.from({ length: Math.max(was.length, is.length) }, (_, at) => maskPair(was[at], is[at]));
    return [pairs.slice(0, was.length).map(([one]) => one), pairs.slice(0, is.length).map(([, other]) => other)];
  }
  if (!isPlainObject(was) || !isPlainObject(is)) return [maskCiphertext(was), maskCiphertext(is)];
  const pairs = new Map([...Object.keys(was), ...Object.keys(is)].map((key) => [key, maskPair(was[key], is[key])]));
  const side = (data: object, at: 0 | 1) =>
    Object.fromEntries(Object.keys(data).map((key) => [key, pairs.get(key)?.[at]]));
  return [side(was, 0), side(is, 1)];
}

function masked(value: unknown): unknown {
  return value === null || value === undefined ? value : mask;
}

/** The same data with every encrypted value, however deep, replaced by the mask; itself where there is none. */
export function maskCiphertext(value: unknown): unknown {
  if (isCiphertext(value)) return mask;
  if (!containsCiphertext(value)) return value;
  if (Array.isArray(value)) return value.map(maskCiphertext);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, maskCiphertext(item)]));
}

/** Whether anything in some data, however deep, is encrypted: looked at first, because nearly always nothing is. */
export function containsCiphertext(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isCiphertext(value);
  if (Array.isArray(value)) return value.some(containsCiphertext);
  if (!isPlainObject(value)) return false;
  for (const key in value) if (containsCiphertext(value[key])) return true;
  return false;
}

/** Every encrypted value in some data, however deep. */
export function* ciphertextsIn(value: unknown): Generator<string, void> {
  if (isCiphertext(value)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* ciphertextsIn(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* ciphertextsIn(item);
}
