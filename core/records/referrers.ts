import type { FieldRow } from '../field/field-table.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { eachPage } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** Ids in one query; databases take only so many parameters. */
const queryBatch = 500;
const scanBatch = 1000;
const maxNamed = 3;
const maxCounted = 10_000;

/** The records of one kind that refer to others by one field, as far as the caller may know them. */
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

/** Finds the rows of a table that refer to deleted ones by that column. @returns null where none does. */
export async function findReferrers(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  target: TableDescription,
  deleted: ReadonlyMap<number, AnyRow>,
  visible: Where,
): Promise<Referrers | null> {
  const names = { table: table.name, column: column.name };
  if (column.kind === 'references') {
    const all = await idsListing(tables, table, column, deleted, target);
    if (all.length === 0) return null;
    const seen = await idsListing(tables, table, column, deleted, target, visible);
    const ids = seen.slice(0, maxNamed);
    return { ...names, ids, more: seen.length - ids.length, hidden: seen.length < all.length };
  }
  const pointing: Where = [[column.name, 'in', [...deleted.keys()]]];
  const all = await tables.of(table).count(pointing, maxCounted);
  if (all === 0) return null;
  const where = [...pointing, ...visible];
  const seen = await tables.of(table).count(where, maxCounted);
  const first = await tables.of(table).find({ where, order: [['id', 'asc']], limit: maxNamed, columns: ['id'] });
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

/** The rows of a table whose reference is one of these ids. */
export async function rowsReferringTo(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  ids: readonly number[],
): Promise<AnyRow[]> {
  const rows: AnyRow[] = [];
  for (const some of batches(ids, queryBatch))
    rows.push(...(await tables.of(table).find({ where: [[column.name, 'in', some]] })));
  return rows;
}

/**
 * The ids of rows whose list of ids holds a deleted one. No database indexes the inside of a list, so the table is
 * scanned; where both sides belong to companies, only the rows of the same ones.
 */
export async function idsListing(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  deleted: ReadonlyMap<number, AnyRow>,
  target: TableDescription,
  visible: Where = [],
): Promise<number[]> {
  const found: number[] = [];
  const scope = [...visible, ...sameCompanies(table, target, deleted)];
  const columns = ['id', column.name];
  for await (const rows of eachPage(tables.of(table), { where: scope, columns, size: scanBatch }))
    for (const row of rows) if (listed(row, column).some((id) => deleted.has(id))) found.push(row.id);
  return found;
}

/** The ids that a row's list holds. */
export function listed(row: AnyRow, column: FieldRow): readonly number[] {
  return row[column.name] as readonly number[];
}

export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

function sameCompanies(table: TableDescription, target: TableDescription, deleted: ReadonlyMap<number, AnyRow>): Where {
  const from = (table as Partial<Resource>).company;
  const to = (target as Partial<Resource>).company;
  if (!from || !to) return [];
  return [[from, 'in', [...new Set([...deleted.values()].map((row) => row[to]))]]];
}
