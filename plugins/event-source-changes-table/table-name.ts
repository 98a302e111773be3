/** The columns that events are read from. */
const eventColumns = [
  'inversion',
  'recordid',
  'evidence',
  'operation',
  'externalids',
  'created',
  'source',
  'target',
] as const;

/** A table, perhaps in a schema: `changes_cache`, `hooks.changes_cache`. */
export const tableName = /^[A-Za-z_][A-Za-z0-9_$]{0,62}(?:\.[A-Za-z_][A-Za-z0-9_$]{0,62})?$/;

/** A question whose answer takes no time however large the table is, and that fails when something is missing. */
export function probeOf(table: string): string {
  const quoted = table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
  // Names a column of the table each: SQLite takes a quoted name that is none for a text.
  const columns = eventColumns.map((column) => `t.${column}`).join(', ');
  return `select ${columns} from ${quoted} as t order by t.inversion desc limit 1`;
}
