import { conflict, HorariumError } from '../errors.ts';
import { TableProgress } from '../loop/table-progress.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Change, Store, Tables } from '../store/store.ts';
import { type EncryptedRow, type EncryptedTable, encryptedPages, rowsEncryptedWith } from './encrypted-tables.ts';
import { assertLatestRotation, beginRotation, endRotation } from './key-registry.ts';
import type { Vault } from './vault.ts';

export interface RotationContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly tables: readonly EncryptedTable[];
  /** Names the live workers that do not have the key with this fingerprint. */
  workersWithoutKey(tables: Tables, fingerprint: string): Promise<readonly string[]>;
}

/** How far a rotation is in one kind of record. */
export interface RotationProgress {
  /** The name of the resource that is being read. */
  readonly resource: string;
  /** The number of rows that were read. */
  readonly checked: number;
  /** The number of those that were encrypted again, with the newest key. */
  readonly reencrypted: number;
  /** The part of all kinds that this pass has read, from 0 to 1, as the ids of the rows tell. */
  readonly share: number;
}

/** The outcome of a rotation: the rows that its last pass read, and those that all passes encrypted again. */
export interface Rotation {
  /** The fingerprint of the key that everything is encrypted with now. */
  readonly key: string;
  readonly checked: number;
  readonly reencrypted: number;
}

/**
 * Encrypts everything that older keys encrypted with the newest one, a few rows a transaction, while the service runs.
 * The rows themselves tell which are done, so it may be killed at any moment and called again. No value changes: there
 * are no audit entries, and versions (and with them ETags) stay. The next pass reads a record again that changes at the
 * same moment; passes are made until one finds nothing.
 * @throws HorariumError `conflict` when something cannot be decrypted, a live worker lacks the newest key, or another
 *   host rotates to another key.
 */
export async function rotateVault(
  context: RotationContext,
  onProgress: (progress: RotationProgress) => void = () => {},
): Promise<Rotation> {
  const { store, vault } = context;
  await store.transaction(async (tables) => {
    await assertWorkersHaveKey(context, tables);
    await beginRotation(tables, vault);
  });
  let pass = await rotateOnce(context, onProgress);
  let reencrypted = pass.reencrypted;
  while (pass.found) {
    await yieldToEventLoop();
    pass = await rotateOnce(context, onProgress);
    reencrypted += pass.reencrypted;
  }
  await store.transaction((tables) => endRotation(tables, vault));
  return { key: vault.fingerprint, checked: pass.checked, reencrypted };
}

/** Reads every row that may hold ciphertext once, and encrypts those again that an older key encrypted. */
async function rotateOnce(
  context: RotationContext,
  onProgress: (progress: RotationProgress) => void,
): Promise<PassReport> {
  const { store, vault, tables } = context;
  const report = new PassReport(await progressOver(store, tables));
  for await (const { encrypted, rows } of encryptedPages(store, tables)) {
    const older = rowsEncryptedWith(encrypted, vault, rows, (key) => !vault.fingerprint.startsWith(key));
    const { reencrypted, broken } = older.length === 0 ? noneOlder : await reencrypt(context, encrypted, older);
    report.add(encrypted.table.name, { rows, older: older.length, reencrypted, broken });
    onProgress(report.progress);
  }
  if (!report.found && report.broken.length > 0) throw undecryptable(report.broken);
  return report;
}

/** Returns the measure of a pass over tables. */
function progressOver(store: Store, tables: readonly EncryptedTable[]): Promise<TableProgress> {
  return store.transaction(
    async (transaction) => {
      const sizes: { name: string; last_id: number }[] = [];
      for (const { table } of tables) {
        await yieldToEventLoop();
        sizes.push({ name: table.name, last_id: await transaction.copyOf(table).lastId() });
      }
      return new TableProgress(sizes);
    },
    { readOnly: true },
  );
}

interface PageReport {
  readonly rows: readonly EncryptedRow[];
  /** The number of rows that an older key had encrypted. */
  readonly older: number;
  readonly reencrypted: number;
  /** The names of the rows that could not be decrypted. */
  readonly broken: readonly string[];
}

const noneOlder = { reencrypted: 0, broken: [] as readonly string[] };

/** Sums up what one pass has done, in all and in the resource that it is at. */
class PassReport {
  checked = 0;
  reencrypted = 0;
  /** Whether an older key had encrypted any row that can be decrypted: then another pass looks for more. */
  found = false;
  readonly broken: string[] = [];
  progress: RotationProgress = { resource: '', checked: 0, reencrypted: 0, share: 0 };
  readonly #read: TableProgress;

  constructor(read: TableProgress) {
    this.#read = read;
  }

  add(resource: string, { rows, older, reencrypted, broken }: PageReport): void {
    const before = this.progress.resource === resource ? this.progress : { checked: 0, reencrypted: 0 };
    this.#read.begin(resource);
    this.#read.passed(rows);
    this.progress = {
      resource,
      checked: before.checked + rows.length,
      reencrypted: before.reencrypted + reencrypted,
      share: this.#read.now.share,
    };
    this.checked += rows.length;
    this.reencrypted += reencrypted;
    this.found ||= older > broken.length;
    this.broken.push(...broken);
  }
}

async function reencrypt({ store, vault }: RotationContext, encrypted: EncryptedTable, older: readonly EncryptedRow[]) {
  return store.transaction(async (tables) => {
    // The setting is locked after the rows, as changes that encrypt do, so that neither waits for the other.
    await encrypted.lock?.(tables, older);
    await assertLatestRotation(tables, vault);
    const table = tables.of(encrypted.table);
    const ids = older.map(({ id }) => id);
    const rows = await table.find({ where: [['id', 'in', ids]], columns: encrypted.columns });
    const broken: string[] = [];
    const changes = rows.flatMap((row): Change[] => {
      try {
        return [{ row, set: encrypted.reencrypt(vault, row) }];
      } catch (error) {
        if (!(error instanceof HorariumError)) throw error;
        broken.push(`${encrypted.table.name} ${row.id}`);
        return [];
      }
    });
    const updatedIds = await table.update(changes);
    return { reencrypted: updatedIds.length, broken };
  });
}

/**
 * Checks that every live worker has the newest key, because one without it could not give its jobs their secrets any
 * more.
 */
async function assertWorkersHaveKey({ vault, workersWithoutKey }: RotationContext, tables: Tables): Promise<void> {
  const without = await workersWithoutKey(tables, vault.fingerprint);
  if (without.length === 0) return;
  throw conflict(
    `The newest vault key (${vault.fingerprint}) is not known yet to ${without.join(', ')}: restart with it first. A process that was killed is named until its lease has run out.`,
  );
}

const maxNamed = 20;

function undecryptable(broken: readonly string[]): HorariumError {
  const more = broken.length - maxNamed;
  const names = `${broken.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return conflict(
    `Everything else is encrypted with the newest key, but secrets of ${names} cannot be decrypted: they were changed or moved. Set them again or delete them, and rotate again before an older key is dropped.`,
  );
}
