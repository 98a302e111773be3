import { type Field, metaOf } from '../field/fields.ts';
import { fits } from '../field/fits.ts';
import type { Where } from '../store/store.ts';
import type { AnyResource } from './define-resource.ts';

/** Where the record is that has the natural key which an input gives in full; undefined when it gives none. */
export function whereNaturalKey(resource: AnyResource, input: Readonly<Record<string, unknown>>) {
  const { key, fields } = resource;
  const kept = (field: string) => metaOf(fields[field] as Field).parse?.(input[field]) ?? input[field];
  // No record has a key that no record could have; a store could not even look for it.
  const usable = (field: string) => input[field] != null && fits(resource, field, kept(field));
  if (key.length === 0 || !key.every(usable)) return undefined;
  return key.map((field) => [field, '=', kept(field)] as const) satisfies Where;
}
