import type { Order, PlainColumnOf, Where } from './query.ts';
import type { Table, Tables } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/**
 * Returns a value that cannot be missing, such as a row that a foreign key points to.
 * @throws Error that names it when it is.
 */
export function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`There is no ${what}.`);
  return value;
}

/** Reads the row with this id, which must exist. */
export async function readById<R extends AnyRow>(
  tables: Tables,
  description: TableDescription<R>,
  id: number,
): Promise<R> {
  const [row] = await tables.of(description).find({ where: [['id', '=', id]] });
  return required(row, `${description.name} ${id}`);
}

/** Reads the rows with these ids, by id; those that do not exist are missing. */
export async function readByIds<R extends AnyRow>(
  tables: Tables,
  description: TableDescription<R>,
  ids: readonly number[],
): Promise<Map<number, R>> {
  if (ids.length === 0) return new Map();
  const rows = await tables.of(description).find({ where: [['id', 'in', [...new Set(ids)]]] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Inserts a row and returns its id. @throws HorariumError `conflict` when a unique group is taken. */
export async function insertOne<R extends AnyRow>(table: Table<R>, row: Omit<R, 'id'>): Promise<number> {
  const [id] = await table.insert([row]);
  return required(id, 'id of the inserted row');
}

/** Deletes at most `limit` of the rows that match. @returns whether there may be more. */
export function deleteBatch<R extends AnyRow>(table: Table<R>, where: Where<R>, limit: number): Promise<boolean>;
export async function deleteBatch(table: Table, where: Where, limit: number): Promise<boolean> {
  const rows = await table.find({ where, columns: ['id'], limit });
  if (rows.length > 0) await table.delete([['id', 'in', rows.map(({ id }) => id)]]);
  return rows.length === limit;
}

interface Pages<R extends AnyRow> {
  readonly where?: Where<R>;
  /** A unique column of positive numbers; rows without a number are left out. @default id */
  readonly by?: PlainColumnOf<R> | 'id';
  /** The maximum number of rows in a page. */
  readonly size: number;
}

/** The part of a query that selects one page. */
export interface PageQuery<R extends AnyRow = AnyRow> {
  readonly where: Where<R>;
  readonly order: Order<R>;
  readonly limit: number;
}

/**
 * Reads the rows that match, in the order of one column, page by page: each page is read when the one before was taken,
 * so that one page at a time is in memory. The last page may be empty.
 * @param read finds the rows of a page, with that column among theirs.
 */
export async function* eachPage<R extends AnyRow>(
  read: (page: PageQuery<R>) => Promise<R[]>,
  { where = [], by = 'id', size }: Pages<R>,
): AsyncGenerator<R[]> {
  for (let last: unknown = 0; ; ) {
    const after = [...where, [by, '>', last]] as Where<R>;
    const page = await read({ where: after, order: [[by, 'asc']], limit: size });
    yield page;
    if (page.length < size) return;
    last = page.at(-1)?.[by];
  }
}
