import type { FieldRow } from '../field/field-table.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { rowsListing } from './referring-rows.ts';

/** Which records of one kind point to something by one field, as far as they may be named. */
export interface Referrers {
  readonly table: string;
  readonly column: string;
  /** The first of those that the caller may see. */
  readonly ids: readonly number[];
  /** How many further ones the caller may see. */
  readonly more: number;
  /** There are some that the caller may not see. */
  readonly hidden: boolean;
}

const mostNamed = 3;
const mostCounted = 10_000;

/** Null when no row of the table points to a doomed one by that column. */
export async function findReferrers(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  target: TableDescription,
  doomed: ReadonlyMap<number, AnyRow>,
  visible: Where,
): Promise<Referrers | null> {
  const names = { table: table.name, column: column.name };
  if (column.kind === 'references') {
    const all = await rowsListing(tables, table, column, doomed, target);
    if (all.length === 0) return null;
    const seen = await rowsListing(tables, table, column, doomed, target, visible);
    const ids = seen.slice(0, mostNamed);
    return { ...names, ids, more: seen.length - ids.length, hidden: seen.length < all.length };
  }
  const pointing: Where = [[column.name, 'in', [...doomed.keys()]]];
  const all = await tables.of(table).count(pointing, mostCounted);
  if (all === 0) return null;
  const where = [...pointing, ...visible];
  const seen = await tables.of(table).count(where, mostCounted);
  const first = await tables.of(table).find({ where, order: [['id', 'asc']], limit: mostNamed, columns: ['id'] });
  const ids = first.map((row) => row.id);
  return { ...names, ids, more: seen - ids.length, hidden: seen < all };
}

/** `RunTemplate 5, 6 and 12 more (app_id), and records that you may not see`. */
export function nameReferrers(found: readonly Referrers[]): string {
  const named = found
    .filter(({ ids }) => ids.length > 0)
    .map(({ table, column, ids, more }) => {
      const rest = more > 0 ? ` and ${more} more` : '';
      return `${table} ${ids.join(', ')}${rest} (${column})`;
    });
  const hidden = found.some((each) => each.hidden) ? ['records that you may not see'] : [];
  return [...named, ...hidden].join('; ');
}
