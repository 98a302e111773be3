import { isPlainObject } from '../field/value-path.ts';

/** The text that stands for every secret in responses, whatever its length. */
export const mask = '••••••••';

/** The beginning of every encrypted value in a row; only a vault writes it. */
export const ciphertextPrefix = 'vault:v1:';

export function isCiphertext(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(ciphertextPrefix);
}

/**
 * Whether any value in some data, however deep, is encrypted. Callers check it before they copy the data, because
 * nearly always none is.
 */
export function containsCiphertext(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isCiphertext(value);
  if (Array.isArray(value)) return value.some(containsCiphertext);
  if (!isPlainObject(value)) return false;
  for (const key in value) if (containsCiphertext(value[key])) return true;
  return false;
}

/** Yields every encrypted value in some data, however deep. */
export function* ciphertextsIn(value: unknown): Generator<string, void> {
  if (isCiphertext(value)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* ciphertextsIn(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* ciphertextsIn(item);
}

/** Replaces every encrypted value in some data, however deep, by the mask; returns the data itself where there is none. */
export function maskCiphertext(value: unknown): unknown {
  if (isCiphertext(value)) return mask;
  if (!containsCiphertext(value)) return value;
  if (Array.isArray(value)) return value.map(maskCiphertext);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, maskCiphertext(item)]));
}

/**
 * Masks both values of a change. What is encrypted or masked on one side is masked on both, so that a value that was
 * written before it was declared secret is not repeated in the clear.
 */
export function maskPair(before: unknown, after: unknown): [unknown, unknown] {
  if ([before, after].some((value) => isCiphertext(value) || value === mask))
    return [maskPresent(before), maskPresent(after)];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    const pairs = Array.from({ length }, (_, index) => maskPair(before[index], after[index]));
    return [
      pairs.slice(0, before.length).map(([maskedBefore]) => maskedBefore),
      pairs.slice(0, after.length).map(([, maskedAfter]) => maskedAfter),
    ];
  }
  if (!isPlainObject(before) || !isPlainObject(after)) return [maskCiphertext(before), maskCiphertext(after)];
  const keys = [...Object.keys(before), ...Object.keys(after)];
  const pairs = new Map(keys.map((key) => [key, maskPair(before[key], after[key])]));
  const side = (data: object, index: 0 | 1) =>
    Object.fromEntries(Object.keys(data).map((key) => [key, pairs.get(key)?.[index]]));
  return [side(before, 0), side(after, 1)];
}

function maskPresent(value: unknown): unknown {
  return value === null || value === undefined ? value : mask;
}
