import { isPlainObject } from '../field/fields.ts';
import { isCiphertext } from './ciphertext.ts';

/** Every encrypted value in some data, however deep. */
export function* ciphertextsIn(value: unknown): Generator<string, void> {
  if (isCiphertext(value)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* ciphertextsIn(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* ciphertextsIn(item);
}
