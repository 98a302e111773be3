import { required } from './read-rows.ts';
import type { Table } from './store.ts';
import type { AnyRow } from './table.ts';

/** Inserts a row and returns its id. @throws HorariumError `conflict` when a unique group is taken. */
export async function insertOne<R extends AnyRow>(table: Table<R>, row: Omit<R, 'id'>): Promise<number> {
  const [id] = await table.insert([row]);
  return required(id, 'id of the inserted row');
}
