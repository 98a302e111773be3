import { utf8Size } from '../bytes/utf8-size.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ColumnOf, Order, Picked, PlainColumnOf, Query, Where } from './query.ts';
import type { Table, Tables } from './store.ts';
import type { AnyRow, RowValues, TableDescription } from './table.ts';

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

/**
 * Reads the rows with these ids, by id; those that do not exist are missing.
 * @param columns those to read, `id` among them; all by default.
 */
export async function readByIds<R extends AnyRow, K extends ColumnOf<R> = ColumnOf<R>>(
  tables: Tables,
  description: TableDescription<R>,
  ids: readonly number[],
  columns?: readonly K[],
): Promise<Map<number, Picked<R, K>>> {
  if (ids.length === 0) return new Map();
  const query = { where: [['id', 'in', [...new Set(ids)]]], ...(columns && { columns }) } as Query<R, K>;
  const rows = await tables.of(description).find(query);
  return new Map(rows.map((row) => [(row as AnyRow).id, row]));
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

/** Divides a list into parts of a size; the last part may be smaller. @throws Error for a size below 1. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  if (!(size >= 1)) throw new Error(`A batch has at least one item, not ${size}.`);
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
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
    await yieldToEventLoop();
    const after = [...where, [by, '>', last]] as Where<R>;
    const page = await read({ where: after, order: [[by, 'asc']], limit: size });
    yield page;
    if (page.length < size) return;
    last = page.at(-1)?.[by];
  }
}

/** Counts the characters of all texts and keys in rows; a few more for any other value. */
export function textSize(value: unknown): number {
  return sizeOf(value, (text) => text.length);
}

/** Returns about how many bytes a database needs to store rows. */
export function storedSize(value: unknown): number {
  return sizeOf(value, utf8Size);
}

function sizeOf(value: unknown, sizeOfText: (text: string) => number): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Uint8Array) return value.length;
  let size = 8;
  // An array has its indexes as keys, of a character or more each.
  if (Array.isArray(value)) {
    for (const item of value) size += 1 + sizeOf(item, sizeOfText);
    return size;
  }
  for (const key in value) size += key.length + sizeOf((value as RowValues)[key], sizeOfText);
  return size;
}
