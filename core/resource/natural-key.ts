import type { AnyResource } from './define-resource.ts';
import { type Field, metaOf } from './fields.ts';
import type { Term } from './store.ts';
import { columnOf, isComparable } from './stored-values.ts';

type Values = Readonly<Record<string, unknown>>;

/** Where the record is that has the natural key which an input gives in full; undefined when it gives none. */
export function whereNaturalKey(resource: AnyResource, input: Values): Term[] | undefined {
  const { key, fields } = resource;
  if (key.length === 0 || !key.every((field) => input[field] !== undefined && input[field] !== null)) return undefined;
  const stored = (field: string) => metaOf(fields[field] as Field).parse?.(input[field]) ?? input[field];
  const terms = key.map((field) => [field, '=', stored(field)] as const);
  // What no record can hold names none; the check of the fields says what is wrong with it.
  return terms.every(([field, , value]) => isComparable(columnOf(resource, field).kind, value)) ? terms : undefined;
}
