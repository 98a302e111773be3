import { createHash } from 'node:crypto';
import type { TableDescription } from '@horarium/core';

// PostgreSQL cuts names at 63 bytes without a word.
const longest = 63;

/** The name of a unique group of columns in the database. */
export function uniqueName(table: TableDescription, group: readonly string[]): string {
  return fitting([table.table, ...group, 'unique'].join('_'));
}

/** The name of an index. */
export function indexName(table: TableDescription, group: readonly string[]): string {
  return fitting([table.table, ...group, 'index'].join('_'));
}

/** The name of a reference, by which a database says which one was broken. */
export function foreignKeyName(table: TableDescription, column: string): string {
  return fitting([table.table, column, 'foreign'].join('_'));
}

function fitting(name: string): string {
  if (name.length <= longest) return name;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, longest - 9)}_${mark}`;
}
