import { encryptedPages } from './encrypted-pages.ts';
import { type EncryptedStore, encryptedWith } from './encrypted-tables.ts';

/** How many rows of each table hold something that is encrypted with one of those keys; tables without any are left out. */
export async function countEncrypted(
  { store, vault, places }: EncryptedStore,
  counts: (key: string) => boolean,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const { place, rows } of encryptedPages(store, places)) {
    const { name } = place.table;
    const some = encryptedWith(place, vault, rows, counts).length;
    if (some > 0) found[name] = (found[name] ?? 0) + some;
  }
  return found;
}
