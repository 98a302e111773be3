import { type Field, fits, metaOf } from '../field/field-meta.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import type { AnyRow } from '../store/table.ts';

/** The condition for the record with the natural key of the input; undefined when the input lacks a part of the key. */
export function whereNaturalKey<R extends AnyRow>(
  resource: Resource<R>,
  input: Readonly<Record<string, unknown>>,
): Where<R> | undefined {
  const { key, fields } = resource;
  const keyValue = (field: string) => metaOf(fields[field] as Field).parse?.(input[field]) ?? input[field];
  // A value that does not fit its field is in no record, and a database could refuse to compare with it.
  const isUsable = (field: string) => input[field] != null && fits(resource, field, keyValue(field));
  if (key.length === 0 || !key.every(isUsable)) return undefined;
  return key.map((field) => [field, '=', keyValue(field)] as const) as Where as Where<R>;
}
