import { conflict, HorariumError } from '../errors.ts';
import type { Change, Tables } from '../store/store.ts';
import { Worker } from '../worker/worker.ts';
import { encryptedPages } from './encrypted-pages.ts';
import { type EncryptedRow, type EncryptedStore, type EncryptedTable, encryptedWith } from './encrypted-tables.ts';
import { beginRotation, endRotation, refuseOtherTarget } from './registered-keys.ts';
import type { Vault } from './vault.ts';

/** How far it has come. */
export interface RotationProgress {
  /** The kind of record that is being looked through. */
  readonly kind: string;
  /** Rows that were looked at, and those of them that were encrypted anew. */
  readonly checked: number;
  readonly renewed: number;
}

export interface Rotation {
  /** The fingerprint of the key that everything is encrypted with now. */
  readonly key: string;
  readonly checked: number;
  readonly renewed: number;
}

/**
 * Encrypts all that is encrypted with older keys anew with the newest one, a few rows a transaction, while the service
 * runs. What was done is seen from the rows themselves, so after a kill at any moment it is just called again. No value
 * changes: there are no audit entries, and versions (and with them ETags) stay. A record that somebody changes at the
 * same moment is left to the next round; rounds go on until one finds nothing.
 * @throws HorariumError `conflict` when something cannot be opened, a worker lives that has not got the newest key, or
 * another host rotates to another key.
 */
export async function rotateVault(
  sealed: EncryptedStore,
  onProgress: (progress: RotationProgress) => void = () => {},
): Promise<Rotation> {
  const { store, vault } = sealed;
  await store.transaction(async (tables) => {
    await refuseWithoutKey(tables, vault);
    await beginRotation(tables, vault);
  });
  let round = await rotateOnce(sealed, onProgress);
  let renewed = round.renewed;
  while (round.found) {
    round = await rotateOnce(sealed, onProgress);
    renewed += round.renewed;
  }
  await store.transaction((tables) => endRotation(tables, vault));
  return { key: vault.fingerprint, checked: round.checked, renewed };
}

async function rotateOnce(sealed: EncryptedStore, onProgress: (progress: RotationProgress) => void) {
  const { store, vault, places } = sealed;
  const broken: string[] = [];
  let all = { checked: 0, renewed: 0 };
  let found = false;
  let progress: RotationProgress = { kind: '', checked: 0, renewed: 0 };
  for await (const { place, rows } of encryptedPages(store, places)) {
    const { name: kind } = place.table;
    const older = encryptedWith(place, vault, rows, (key) => !vault.fingerprint.startsWith(key));
    const done = older.length === 0 ? nothing : await renew(sealed, place, older);
    found ||= older.length > done.broken.length;
    broken.push(...done.broken);
    if (progress.kind !== kind) progress = { kind, checked: 0, renewed: 0 };
    progress = { kind, checked: progress.checked + rows.length, renewed: progress.renewed + done.renewed };
    all = { checked: all.checked + rows.length, renewed: all.renewed + done.renewed };
    onProgress(progress);
  }
  if (!found && broken.length > 0) throw unopened(broken);
  return { ...all, found };
}

const nothing = { renewed: 0, broken: [] as readonly string[] };

async function renew({ store, vault }: EncryptedStore, place: EncryptedTable, older: readonly EncryptedRow[]) {
  return store.transaction(async (tables) => {
    await refuseOtherTarget(tables, vault);
    await place.lock?.(tables, older);
    const table = tables.of(place.table);
    const ids = older.map(({ id }) => id);
    const rows = (await table.find({
      where: [['id', 'in', ids]],
      columns: place.columns,
    })) as unknown as EncryptedRow[];
    const broken: string[] = [];
    const changes = rows.flatMap((row): Change<EncryptedRow>[] => {
      try {
        return [{ row, set: place.again(vault, row) }];
      } catch (error) {
        if (!(error instanceof HorariumError)) throw error;
        broken.push(`${place.table.name} ${row.id}`);
        return [];
      }
    });
    const written = await table.update(changes);
    return { renewed: written.length, broken };
  });
}

/** A worker that has not got the key could not give its jobs their secrets any more. */
async function refuseWithoutKey(tables: Tables, vault: Vault): Promise<void> {
  const alive = await tables.of(Worker).find({ where: [['lease_until', '>', await tables.now()]] });
  const without = alive.filter(({ vault_keys }) => !vault_keys?.split(',').includes(vault.fingerprint));
  if (without.length === 0) return;
  const names = without.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ');
  throw conflict(`The newest vault key (${vault.fingerprint}) is not known yet to ${names}: restart with it first.`);
}

const mostNamed = 20;

function unopened(broken: readonly string[]): HorariumError {
  const more = broken.length - mostNamed;
  const names = `${broken.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return conflict(
    `Everything else is encrypted with the newest key, but secrets of ${names} cannot be opened: they were changed or moved. Set them anew or delete them, and rotate again before an older key is dropped.`,
  );
}
