import type { Store } from '../resource/store.ts';
import type { SealedPlace, SealedRow } from './sealed-places.ts';

/** Rows that are read, or written, in one transaction: few enough that nobody waits long for them. */
const page = 200;

export interface SealedPage {
  readonly place: SealedPlace;
  readonly rows: readonly SealedRow[];
}

/** Every row that may hold something encrypted, page by page, each page in a transaction of its own. */
export async function* sealedPages(store: Store, places: readonly SealedPlace[]): AsyncGenerator<SealedPage, void> {
  for (const place of places) {
    for (let last = 0, full = true; full; ) {
      const query = {
        where: [['id', '>', last]],
        order: [['id', 'asc']],
        limit: page,
        columns: place.columns,
      } as const;
      const rows = await store.transaction((tables) => tables.of(place.table).find(query), { readOnly: true });
      yield { place, rows: rows as unknown as SealedRow[] };
      full = rows.length === page;
      last = rows.at(-1)?.id ?? last;
    }
  }
}
