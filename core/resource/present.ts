import type { AnyResource, TableDescription } from './define-resource.ts';
import type { FieldRow } from './field-table.ts';
import { formatInstant } from './instants.ts';
import { mask, maskSealed } from './mask.ts';

/** The fields of a record that may leave the service. */
export function shownColumns(description: TableDescription): readonly FieldRow[] {
  let columns = known.get(description);
  if (!columns) {
    columns = description.columns.filter(
      (column) => !column.hidden && column.kind !== 'binary' && column.secret !== 'hashed',
    );
    known.set(description, columns);
  }
  return columns;
}
const known = new WeakMap<TableDescription, readonly FieldRow[]>();

/** A row as the doors show it: hidden fields left out, secrets masked, times as RFC 3339. */
export function present(resource: AnyResource | TableDescription, row: object): Record<string, unknown> {
  const values = row as Readonly<Record<string, unknown>>;
  const shown: Record<string, unknown> = {};
  for (const column of shownColumns(resource)) {
    if (column.name in values) shown[column.name] = presentValue(column, values[column.name]);
  }
  return shown;
}

function presentValue(column: FieldRow, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (column.secret) return mask;
  if (column.kind === 'instant') return formatInstant(value as number);
  return maskSealed(value);
}
