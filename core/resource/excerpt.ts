import { array, object } from 'yup';
import type { Field } from '../field/field-meta.ts';
import { json } from '../field/structured.ts';
import type { ColumnOf } from '../store/query.ts';
import type { AnyRow } from '../store/table.ts';
import type { Resource } from './define-resource.ts';

/** Some fields of a kind of record, as other records embed them. Their schema and their example are those of the record. */
export interface Excerpt<R extends AnyRow> {
  /** Describes a computed field that holds one such record. @param id the id of the example. */
  item(id: number): Field;
  /** Describes a computed field that holds a list of them. */
  list(description: string): Field;
  of(row: R): Readonly<Record<string, unknown>>;
}

/** @param names the fields in the order in which they are shown. */
export function excerptOf<R extends AnyRow>(resource: Resource<R>, names: readonly ColumnOf<R>[]): Excerpt<R> {
  const fields = names.map((name) => [name, (resource.fields[name] as Field).defined()]);
  const schema = object(Object.fromEntries(fields)).noUnknown();
  const valuesOf = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map((name) => [name, row[name]]));
  return {
    item: (id) => json(schema, valuesOf({ ...resource.example, id }), { readOnly: true }),
    list: (description) => json(array().of(schema).defined(), [], { readOnly: true, description }),
    of: valuesOf,
  };
}
