import type { AnyResource } from './define-resource.ts';
import { type Field, metaOf } from './fields.ts';
import type { Where } from './store.ts';

/** Where the record is that has the natural key which an input gives in full; undefined when it gives none. */
export function whereNaturalKey({ key, fields }: AnyResource, input: Readonly<Record<string, unknown>>) {
  const usable = (value: unknown) => value !== undefined && value !== null && typeof value !== 'object';
  if (key.length === 0 || !key.every((field) => usable(input[field]))) return undefined;
  const kept = (field: string) => metaOf(fields[field] as Field).parse?.(input[field]) ?? input[field];
  return key.map((field) => [field, '=', kept(field)] as const) satisfies Where;
}
