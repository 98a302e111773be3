import { createHash } from 'node:crypto';
import type { TableDescription } from '@horarium/core';

// PostgreSQL truncates longer names silently.
const maxLength = 63;

/** The name of a unique group of columns in the database. */
export function uniqueName(table: TableDescription, group: readonly string[]): string {
  return truncated([table.table, ...group, 'unique'].join('_'));
}

/** The name of an index. */
export function indexName(table: TableDescription, group: readonly string[]): string {
  return truncated([table.table, ...group, 'index'].join('_'));
}

/** The name of a foreign key, by which PostgreSQL reports which one was violated. */
export function foreignKeyName(table: TableDescription, column: string): string {
  return truncated([table.table, column, 'foreign'].join('_'));
}

function truncated(name: string): string {
  if (name.length <= maxLength) return name;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - 9)}_${mark}`;
}
