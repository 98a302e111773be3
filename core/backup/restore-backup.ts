import { readAuditCheckpoint } from '../audit/archive/checkpoint.ts';
import { type Verification, verifyAudit } from '../audit/verify.ts';
import { Delivery } from '../delivery/delivery.ts';
import { conflict, HorariumError } from '../errors.ts';
import type { Clock } from '../loop/clock.ts';
import { TableProgress } from '../loop/table-progress.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Store, Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import type { BackupProgress } from './backup-file.ts';
import { keepAlive } from './keep-alive.ts';
import type { BackupReader, BackupRows } from './read-backup.ts';
import type { BackupContext } from './write-backup.ts';

export interface RestoreOptions {
  /** Whether a backup is restored although its audit log does not verify. @default false */
  readonly unverified?: boolean;
  onProgress?(progress: BackupProgress): void;
}

/** What a restore has put into a store. */
export interface RestoredBackup {
  readonly rows: number;
  /** The pause of everything that holds all jobs. */
  readonly pauseId: number;
  /** Notices that the original may have sent since the backup: they are not sent again by themselves. */
  readonly unsentDeliveries: number;
  /** What the audit log proves; null = it was not verified. */
  readonly verification: Verification | null;
  /** The last entry of the audit log that is in the files of its archive only; 0 = none is. */
  readonly archivedUpTo: number;
}

/** Pauses everything and drops the workers of the original, in the transaction of the restore. @returns the id of the pause. */
type Quiesce = (store: Store, reason: string) => Promise<number>;

const unsent =
  'not sent since the restore of a backup, because it may have been sent before: retry it if it is still due';

/**
 * Restores a backup into an empty store, in one transaction: all of it, or nothing. Everything is paused in it, and jobs
 * that ran when it was made end lost, because their workers are those of the original.
 * @throws HorariumError `conflict` when the store is not empty, its tables are others or the audit log does not verify;
 *   `unavailable` when a vault key is missing; `bad_request` for a backup that was changed or cut off.
 */
export async function restoreBackup(
  { store, clock, vault, tables }: BackupContext,
  backup: BackupReader,
  { unverified = false, onProgress }: RestoreOptions,
  quiesce: Quiesce,
): Promise<RestoredBackup> {
  backup.assertTables(tables);
  backup.assertKeys(vault);
  const hmac = backup.hmac(vault);
  let failure: { readonly error: unknown } | undefined;
  return store.transaction(async (transaction) => {
    // The lines can be read once.
    if (failure) throw failure.error;
    try {
      await assertEmpty(transaction, tables);
      const rows = await insertAll(transaction, { clock, backup, tables, hmac }, onProgress);
      const joined: Store = {
        kind: store.kind,
        transaction: (work) => work(transaction),
        close: async () => undefined,
      };
      const verification = unverified ? null : await verify(joined, hmac);
      const unsentDeliveries = await transaction
        .of(Delivery)
        .updateWhere([['state', '=', 'pending']], { state: 'failed', next_at: null, error: unsent });
      const pauseId = await quiesce(joined, `restored from the backup of ${backup.header.created_at}`);
      const { seq: archivedUpTo } = await readAuditCheckpoint(transaction);
      return { rows, pauseId, unsentDeliveries, verification, archivedUpTo };
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  });
}

async function assertEmpty(transaction: Tables, tables: readonly TableDescription[]): Promise<void> {
  if (!(await transaction.tryLock('restore'))) throw conflict('Another process is restoring a backup into this store.');
  for (const table of tables) {
    await yieldToEventLoop();
    if ((await transaction.of(table).count([], 1)) > 0)
      throw conflict(
        `The store is not empty: it has rows of ${table.name}. A backup is restored into a new database only.`,
      );
  }
}

interface Restoring {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly backup: BackupReader;
  readonly tables: readonly TableDescription[];
  readonly hmac: Hmac;
}

/** @returns the number of rows. */
async function insertAll(
  transaction: Tables,
  { clock, backup, tables, hmac }: Restoring,
  onProgress: RestoreOptions['onProgress'],
): Promise<number> {
  const described = backup.header.tables;
  const progress = new TableProgress(described);
  let total = 0;
  const batches = backup.rows(tables, hmac);
  for (;;) {
    await yieldToEventLoop();
    const { value: batch, done } = await keepAlive(transaction, clock, batches.next());
    if (done) break;
    progress.begin(batch.table.name);
    await insert(transaction, batch);
    total += batch.rows.length;
    progress.passed(batch.rows);
    onProgress?.(progress.now);
  }
  for (const table of tables) {
    await yieldToEventLoop();
    const { last_id = 0 } = described.find(({ name }) => name === table.name) ?? {};
    await transaction.copyOf(table).setLastId(last_id);
  }
  return total;
}

async function insert(transaction: Tables, { table, rows, line }: BackupRows): Promise<void> {
  try {
    await transaction.copyOf(table).insert(rows);
  } catch (error) {
    if (error instanceof HorariumError && error.code === 'unavailable') throw error;
    const [first, last] = [line - rows.length + 1, line];
    throw conflict(
      `The rows of ${table.name} in the lines ${first} to ${last} of the backup cannot be restored: ${(error as Error).message}`,
    );
  }
}

/** Verifies the log in the store; what has left it for an archive is in files of its own. */
async function verify(store: Store, hmac: Hmac): Promise<Verification> {
  const verification = await verifyAudit(store, hmac, { archive: null });
  if (verification.problem !== null)
    throw conflict(
      `The audit log in the backup does not verify: ${verification.problem} It can be restored unverified all the same.`,
    );
  return verification;
}
