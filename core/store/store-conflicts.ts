import { conflict, type HorariumError, KeyTaken } from '../errors.ts';
import type { FieldDescription } from '../field/field-description.ts';
import type { TableDescription } from './table.ts';

/** A reference that the store enforces: from a column of one table to the ids of another. */
export interface ForeignKey {
  readonly from: TableDescription;
  readonly column: FieldDescription;
  readonly to: TableDescription;
}

/** Returns the foreign keys among those tables. @throws Error when one of them refers to a record that has no table. */
export function foreignKeys(tables: readonly TableDescription[]): ForeignKey[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return tables.flatMap((from) =>
    from.columns
      .filter((column) => column.kind === 'reference' && column.foreignKey !== false)
      .map((column) => {
        const to = byName.get(column.references ?? '');
        if (!to) throw new Error(`${from.table}.${column.name} refers to ${column.references}, which has no table.`);
        return { from, column, to };
      }),
  );
}

/** Returns the error of a row whose values in a unique group another row has. */
export function uniqueViolation(table: TableDescription, group: readonly string[]): HorariumError {
  return new KeyTaken(table.name, group);
}

/** Returns the error of a reference to a row that does not exist. */
export function danglingReference({ from, column, to }: ForeignKey): HorariumError {
  return conflict(`${from.name} refers by ${column.name} to a ${to.name} that does not exist.`);
}

/** Returns the error of deleting a row that a table references which this process does not have. */
export function referencedByUnloaded({ name }: TableDescription): HorariumError {
  return conflict(`This ${name} is still referenced by the records of a plugin that is not loaded.`);
}

/** Returns the error of deleting a row that is still referenced. */
export function stillReferenced({ from, column, to }: ForeignKey): HorariumError {
  return conflict(`This ${to.name} is still referenced by a ${from.name} (${column.name}).`);
}
