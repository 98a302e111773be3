import { conflict } from '../errors.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/**
 * Compares the code of a record that all companies share with those of the others: the databases do not, because such records
 * have no company.
 * @throws HorariumError `conflict` that names the code.
 */
export async function assertCodeIsFree<R extends AnyRow & { readonly code: string | null }>(
  table: TableDescription<R>,
  { id, code }: R & { readonly id: number },
  tables: Tables,
): Promise<void> {
  if (code === null) return;
  const where = [
    ['company_id', '=', null],
    ['code', '=', code],
    ['id', '!=', id],
  ] as const;
  if ((await tables.of(table as unknown as TableDescription).count(where, 1)) === 0) return;
  throw conflict(`Another ${table.name} of all companies has the code ${code}.`);
}
