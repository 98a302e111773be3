import { isPlainObject } from './fields.ts';
import { isSealed } from './mask.ts';

/** Every encrypted value in some data, however deep. */
export function* sealedTexts(value: unknown): Generator<string, void> {
  if (isSealed(value)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* sealedTexts(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* sealedTexts(item);
}
