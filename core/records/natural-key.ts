import { type Field, fits, metaOf } from '../field/field-meta.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import type { AnyRow } from '../store/table.ts';

/** Where the record is that has the natural key which an input gives in full; undefined when it gives none. */
export function whereNaturalKey<R extends AnyRow>(
  resource: Resource<R>,
  input: Readonly<Record<string, unknown>>,
): Where<R> | undefined {
  const { key, fields } = resource;
  const stored = (field: string) => metaOf(fields[field] as Field).parse?.(input[field]) ?? input[field];
  // No record has a key that no record could have; a store could not even look for it.
  const usable = (field: string) => input[field] != null && fits(resource, field, stored(field));
  if (key.length === 0 || !key.every(usable)) return undefined;
  return key.map((field) => [field, '=', stored(field)] as const) as Where as Where<R>;
}
