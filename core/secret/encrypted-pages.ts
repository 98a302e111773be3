import type { Store } from '../store/store.ts';
import type { EncryptedRow, EncryptedTable } from './encrypted-tables.ts';

/** Rows that are read, or written, in one transaction: few enough that nobody waits long for them. */
const page = 200;

export interface EncryptedPage {
  readonly place: EncryptedTable;
  readonly rows: readonly EncryptedRow[];
}

/** Every row that may hold something encrypted, page by page, each page in a transaction of its own. */
export async function* encryptedPages(
  store: Store,
  places: readonly EncryptedTable[],
): AsyncGenerator<EncryptedPage, void> {
  for (const place of places) {
    for (let last = 0, full = true; full; ) {
      const query = {
        where: [['id', '>', last]],
        order: [['id', 'asc']],
        limit: page,
        columns: place.columns,
      } as const;
      const rows = await store.transaction((tables) => tables.of(place.table).find(query), { readOnly: true });
      yield { place, rows: rows as unknown as EncryptedRow[] };
      full = rows.length === page;
      last = rows.at(-1)?.id ?? last;
    }
  }
}
