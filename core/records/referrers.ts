import type { FieldDescription } from '../field/field-description.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { batches, eachPage, type PageQuery } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** How many ids one query contains: databases limit the parameters of a query. */
const queryBatch = 500;
/** How many whole rows are read at once. */
export const rowBatch = 100;
const scanBatch = 1000;
/** How many referrers of one kind a message names. */
const maxNamed = 3;
const maxCounted = 10_000;

/** The records of one kind that refer to deleted ones by one field, as far as the caller may see them. */
export interface ReferrerGroup {
  readonly table: string;
  readonly column: string;
  /** The first ones that the caller may see. */
  readonly ids: readonly number[];
  /** How many further ones the caller may see. */
  readonly moreCount: number;
  /** Whether there are others that the caller may not see. */
  readonly hidden: boolean;
}

/** Finds the rows of a table that refer to deleted rows of `target` by the column; null = none does. */
export async function findReferrers(
  tables: Tables,
  table: TableDescription,
  column: FieldDescription,
  target: TableDescription,
  deleted: ReadonlyMap<number, AnyRow>,
  visible: Where,
): Promise<ReferrerGroup | null> {
  const names = { table: table.name, column: column.name };
  if (column.kind === 'references') {
    const allIds = await findInIdLists(tables, table, column, deleted, target);
    if (allIds.length === 0) return null;
    const visibleIds = await findInIdLists(tables, table, column, deleted, target, visible);
    const ids = visibleIds.slice(0, maxNamed);
    return { ...names, ids, moreCount: visibleIds.length - ids.length, hidden: visibleIds.length < allIds.length };
  }
  const referring: Where = [[column.name, 'in', [...deleted.keys()]]];
  const allCount = await tables.of(table).count(referring, maxCounted);
  if (allCount === 0) return null;
  const where = [...referring, ...visible];
  const visibleCount = await tables.of(table).count(where, maxCounted);
  const first = await tables.of(table).find({ where, order: [['id', 'asc']], limit: maxNamed, columns: ['id'] });
  const ids = first.map((row) => row.id);
  return { ...names, ids, moreCount: visibleCount - ids.length, hidden: visibleCount < allCount };
}

/** Names referrers in a message: `RunTemplate 5, 6 and 12 more (app_id); records that you may not see`. */
export function describeReferrers(found: readonly ReferrerGroup[]): string {
  const named = found
    .filter(({ ids }) => ids.length > 0)
    .map(({ table, column, ids, moreCount }) => {
      const rest = moreCount > 0 ? ` and ${moreCount} more` : '';
      return `${table} ${ids.join(', ')}${rest} (${column})`;
    });
  const invisible = found.some(({ hidden }) => hidden) ? ['records that you may not see'] : [];
  return [...named, ...invisible].join('; ');
}

/** Reads the rows of a table that refer to one of these ids by the column, a page at a time, because rows may be large. */
export async function* rowsReferringTo(
  tables: Tables,
  table: TableDescription,
  column: FieldDescription,
  { ids, columns }: { readonly ids: readonly number[]; readonly columns?: readonly string[] | undefined },
): AsyncGenerator<AnyRow[]> {
  const read = (page: PageQuery) => tables.of(table).find({ ...page, ...(columns && { columns }) });
  for (const batch of batches(ids, queryBatch))
    yield* eachPage(read, { where: [[column.name, 'in', batch]], size: rowBatch });
}

/**
 * Finds the ids of rows whose list of ids contains a deleted one. No database indexes the elements of a list, so this
 * scans the table, or only its rows of the deleted rows' companies where both tables belong to companies.
 */
export async function findInIdLists(
  tables: Tables,
  table: TableDescription,
  column: FieldDescription,
  deleted: ReadonlyMap<number, AnyRow>,
  target: TableDescription,
  visible: Where = [],
): Promise<number[]> {
  const found: number[] = [];
  const scope = [...visible, ...sameCompanies(table, target, deleted)];
  const read = (page: PageQuery) => tables.of(table).find({ ...page, columns: ['id', column.name] });
  for await (const rows of eachPage(read, { where: scope, size: scanBatch }))
    for (const row of rows) if (idList(row, column).some((id) => deleted.has(id))) found.push(row.id);
  return found;
}

/** The list of ids in a column of a row. */
export function idList(row: AnyRow, column: FieldDescription): readonly number[] {
  return row[column.name] as readonly number[];
}

function sameCompanies(table: TableDescription, target: TableDescription, deleted: ReadonlyMap<number, AnyRow>): Where {
  const from = (table as Partial<Resource>).company;
  const to = (target as Partial<Resource>).company;
  if (!from || !to) return [];
  return [[from, 'in', [...new Set([...deleted.values()].map((row) => row[to]))]]];
}
