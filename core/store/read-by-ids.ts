import type { Tables } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/** The rows with these ids, by id; those that do not exist are missing. */
export async function readByIds<R extends AnyRow>(
  tables: Tables,
  description: TableDescription<R>,
  ids: readonly number[],
): Promise<Map<number, R>> {
  if (ids.length === 0) return new Map();
  const rows = await tables.of(description).find({ where: [['id', 'in', [...new Set(ids)]]] });
  return new Map(rows.map((row) => [row.id, row]));
}
