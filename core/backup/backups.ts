import type { AuditedStore } from '../audit/audited-store.ts';
import { denied } from '../errors.ts';
import { pauseRestored } from '../pause/restore-pause.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { Store } from '../store/store.ts';
import { dropWorkerLeases } from '../worker/lease/drop-worker-leases.ts';
import type { BackupProgress } from './backup-file.ts';
import type { BackupReader } from './read-backup.ts';
import { type RestoredBackup, type RestoreOptions, restoreBackup } from './restore-backup.ts';
import { type BackupContext, type WrittenBackup, writeBackup } from './write-backup.ts';

interface BackupsOptions extends BackupContext {
  /** Returns a store that audits what is changed in a transaction of others. */
  audited(store: Store): AuditedStore;
}

/** Backups of the whole store, as lines of text, which every kind of store can be restored from. */
export class Backups {
  readonly #options: BackupsOptions;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  /**
   * Writes every row as one snapshot has them. The transaction lasts as long as the writing: SQLite, whose connections run
   * one at a time, needs a store of its own for it, beside that of a running service.
   * @param write writes text that ends in a newline; it resolves when it can take more.
   * @throws HorariumError `denied`, and as `writeBackup`.
   */
  async write(
    actor: Actor,
    write: (text: string) => Promise<void>,
    onProgress?: (progress: BackupProgress) => void,
  ): Promise<WrittenBackup> {
    assertAdmin(actor);
    return writeBackup(this.#options, write, onProgress);
  }

  /**
   * Restores a backup into the empty store of this core, which was not started and must not be used any more if that fails.
   * @throws HorariumError `denied`, and as `restoreBackup`.
   */
  async restore(actor: Actor, backup: BackupReader, options: RestoreOptions = {}): Promise<RestoredBackup> {
    assertAdmin(actor);
    const quiesce = (joined: Store, reason: string) =>
      this.#options.audited(joined).transaction(actor, async (tables) => {
        const pauseId = await pauseRestored(tables, actor.name, reason);
        await dropWorkerLeases(tables);
        return pauseId;
      });
    return restoreBackup(this.#options, backup, options, quiesce);
  }
}

function assertAdmin(actor: Actor): void {
  if (!isAdmin(actor)) throw denied(`${actor.name} may not copy the store: that takes the role admin.`);
}
