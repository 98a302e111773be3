import { isPlainObject } from '../field/value-path.ts';

/** The text that stands for every secret in responses, whatever its length. */
export const mask = '••••••••';

/** The beginning of every encrypted value in a row; only a vault writes it. */
export const ciphertextPrefix = 'vault:v1:';

export function isCiphertext(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(ciphertextPrefix);
}

/** The test of a given text: one that looks encrypted would be masked, also in the audit log, and so hidden. */
export const readable = {
  name: 'readable',
  message: ({ path }: { readonly path: string }) => `${path} may not begin like an encrypted value`,
  test: (value: unknown) => !isCiphertext(value),
} as const;

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

/** Whether any value in some data, however deep, is masked. */
export function containsMask(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(containsMask);
  return isPlainObject(value) ? Object.values(value).some(containsMask) : value === mask;
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
  return [maskBeside(before, after), maskBeside(after, before)];
}

/** Masks what is encrypted or masked in a value, or at the same place in the other one. */
function maskBeside(value: unknown, other: unknown): unknown {
  if (isMasked(value) || isMasked(other)) return value === null || value === undefined ? value : mask;
  if (Array.isArray(value) && Array.isArray(other)) return value.map((item, index) => maskBeside(item, other[index]));
  if (!isPlainObject(value) || !isPlainObject(other)) return maskCiphertext(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskBeside(item, other[key])]));
}

function isMasked(value: unknown): boolean {
  return isCiphertext(value) || value === mask;
}
