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
  for (const [name, show] of shownFields(resource)) {
    const value = values[name];
    if (value === null) shown[name] = null;
    else if (value !== undefined) shown[name] = show(value);
    else if (name in values) shown[name] = null;
  }
  return shown;
}

type Show = (value: unknown) => unknown;

/** How each shown field is written, found out once for each description: lists ask for thousands of them. */
function shownFields(description: TableDescription): readonly (readonly [name: string, show: Show])[] {
  let fields = ways.get(description);
  if (!fields) {
    fields = shownColumns(description).map((column) => [column.name, wayOf(column)] as const);
    ways.set(description, fields);
  }
  return fields;
}
const ways = new WeakMap<TableDescription, readonly (readonly [string, Show])[]>();

function wayOf({ kind, secret }: FieldRow): Show {
  if (secret) return () => mask;
  if (kind === 'instant') return (value) => formatInstant(value as number);
  return maskSealed;
}
