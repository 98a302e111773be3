import type { FieldRow } from '../field/field-table.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { eachPage } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** Ids in one question; databases take only so many parameters. */
const perQuestion = 500;
const perScan = 1000;

/** The rows of a table whose single reference names one of these ids. */
export async function rowsPointingAt(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  ids: readonly number[],
): Promise<AnyRow[]> {
  const rows: AnyRow[] = [];
  for (const some of inParts(ids, perQuestion))
    rows.push(...(await tables.of(table).find({ where: [[column.name, 'in', some]] })));
  return rows;
}

/**
 * The ids of rows that have one of the doomed among the ids of a list. No database has an index of what is inside a
 * list, so the table is read through; only that of the same companies where both sides have one.
 */
export async function rowsListing(
  tables: Tables,
  table: TableDescription,
  column: FieldRow,
  doomed: ReadonlyMap<number, AnyRow>,
  target: TableDescription,
  visible: Where = [],
): Promise<number[]> {
  const found: number[] = [];
  const scope = [...visible, ...sameCompanies(table, target, doomed)];
  const columns = ['id', column.name];
  for await (const rows of eachPage(tables.of(table), { where: scope, columns, size: perScan }))
    for (const row of rows) if (listed(row, column).some((id) => doomed.has(id))) found.push(row.id);
  return found;
}

/** The ids that a row's list holds. */
export function listed(row: AnyRow, column: FieldRow): readonly number[] {
  return row[column.name] as readonly number[];
}

export function* inParts<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

function sameCompanies(table: TableDescription, target: TableDescription, doomed: ReadonlyMap<number, AnyRow>): Where {
  const from = (table as Partial<Resource>).company;
  const to = (target as Partial<Resource>).company;
  if (!from || !to) return [];
  return [[from, 'in', [...new Set([...doomed.values()].map((row) => row[to]))]]];
}
