import { sealedPages } from './sealed-pages.ts';
import { type SealedStore, sealedWith } from './sealed-places.ts';

/** How many rows of each table hold something that is encrypted with one of those keys; tables without any are left out. */
export async function countSealed(
  { store, vault, places }: SealedStore,
  counts: (key: string) => boolean,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const { place, rows } of sealedPages(store, places)) {
    const { name } = place.table;
    const some = sealedWith(place, vault, rows, counts).length;
    if (some > 0) found[name] = (found[name] ?? 0) + some;
  }
  return found;
}
