import { createHash } from 'node:crypto';
import type { TableDescription } from '@horarium/core';

// PostgreSQL truncates longer names silently.
const maxLength = 63;

/** Names a unique constraint of a table. */
export function uniqueName(table: TableDescription, group: readonly string[]): string {
  return truncate([table.table, ...group, 'unique'].join('_'));
}

/** Names an index of a table. */
export function indexName(table: TableDescription, group: readonly string[]): string {
  return truncate([table.table, ...group, 'index'].join('_'));
}

/** Names a foreign key; PostgreSQL reports a violated one by this name. */
export function foreignKeyName(table: TableDescription, column: string): string {
  return truncate([table.table, column, 'foreign'].join('_'));
}

function truncate(name: string): string {
  if (name.length <= maxLength) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - 9)}_${digest}`;
}
