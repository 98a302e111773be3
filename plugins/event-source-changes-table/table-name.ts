/** The columns that a table of changes must have. */
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

/** A query that is fast however large the table is, and fails when a column is missing. */
export function probeOf(table: string): string {
  const quoted = table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
  // Qualified, because SQLite takes a quoted name of no column for a text.
  const columns = eventColumns.map((column) => `t.${column}`).join(', ');
  return `select ${columns} from ${quoted} as t order by t.inversion desc limit 1`;
}
