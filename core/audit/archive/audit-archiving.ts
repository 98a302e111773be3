import { denied, invalid } from '../../errors.ts';
import type { Clock, Milliseconds } from '../../loop/clock.ts';
import { type Pass, PassTicker } from '../../loop/pass-ticker.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { Actor } from '../../resource/actor.ts';
import { isAdmin } from '../../resource/permissions.ts';
import type { Where } from '../../store/query.ts';
import { day } from '../../time/duration.ts';
import { type AuditEntry, AuditLog } from '../audit-log.ts';
import { type Verification, type VerifyOptions, verifyAudit } from '../verify.ts';
import { type ArchiveOptions, ArchivePass, readCheckpoint } from './archive-pass.ts';
import type { AuditArchive } from './audit-archive.ts';

export interface AuditArchivingOptions extends Omit<ArchiveOptions, 'archive'> {
  readonly archive: AuditArchive | undefined;
  /** Days after which sealed entries leave the store; Infinity = they stay. */
  readonly days: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Entries have left the store. */
  onArchived(count: number): void;
  /** Entries that should leave the store stay in it, for this reason. */
  onRefused(error: unknown): void;
}

export interface ArchiveRequest {
  /** Whether entries are only counted. @default false */
  readonly dryRun?: boolean;
  /** Called after each step with how many entries have left the store so far. */
  onProgress?(count: number): void;
}

export interface ArchivedCount {
  /** How many entries have left the store. */
  readonly count: number;
  /** Whether another process was moving entries at the same time, and goes on. */
  readonly isTaken: boolean;
}

/** Moves old entries of the audit log to the archive: a service once a day, and when an admin asks for it. */
export class AuditArchiving {
  /** Looks every hour whether a day's entries are old enough. */
  readonly ticker: PassTicker;
  readonly #options: AuditArchivingOptions;

  constructor(options: AuditArchivingOptions) {
    this.#options = options;
    const begin = () => this.#beginReporting();
    this.ticker = new PassTicker({ name: 'audit archive', clock: options.clock, begin });
  }

  /**
   * Moves the entries that are old enough, up to the first that is not.
   * @throws HorariumError `denied`; `invalid` where entries stay for ever, or there is no archive; and as `ArchivePass.step`.
   */
  async archive(actor: Actor, { dryRun = false, onProgress }: ArchiveRequest = {}): Promise<ArchivedCount> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not archive the audit log: that takes the role admin.`);
    const { archive, days } = this.#options;
    if (!archive || days === Infinity)
      throw invalid('The audit log', [
        {
          field: 'auditDays',
          message: 'is kept for ever: the service has no number of days after which entries leave it',
        },
      ]);
    if (dryRun) return { count: await this.#count(), isTaken: false };
    const pass = await this.#begin(archive, 0);
    while (await pass.step()) {
      await yieldToEventLoop();
      onProgress?.(pass.leftCount);
    }
    return { count: pass.leftCount, isTaken: pass.isTaken };
  }

  /** Verifies the whole log, in the archive and in the store. @throws HorariumError as `verifyAudit`. */
  async verify({ archive = this.#options.archive, ...options }: VerifyOptions = {}): Promise<Verification> {
    const { store, hmac } = this.#options;
    return verifyAudit(store, await hmac(), { ...options, archive });
  }

  /** Begins a pass that tells the service of its end, and does not fail. */
  async #beginReporting(): Promise<Pass> {
    const { archive, onArchived, onRefused } = this.#options;
    if (!archive) return { step: async () => false };
    const pass = await this.#begin(archive, day);
    const step = async () => {
      try {
        if (await pass.step()) return true;
      } catch (error) {
        onRefused(error);
      }
      if (pass.leftCount > 0) onArchived(pass.leftCount);
      return false;
    };
    return { step };
  }

  async #begin(archive: AuditArchive, slack: Milliseconds): Promise<ArchivePass> {
    const before = await this.#before();
    return new ArchivePass({ ...this.#options, archive }, { before, slack });
  }

  #before() {
    const { store, days } = this.#options;
    return store.transaction(async (tables) => (await tables.now()) - days * day, { readOnly: true });
  }

  /** Counts as a pass would move them: up to the first entry that is too young. */
  async #count(): Promise<number> {
    const { store, hmac } = this.#options;
    const [before, key] = [await this.#before(), await hmac()];
    return store.transaction(
      async (tables) => {
        const { seq } = await readCheckpoint(tables, key);
        const log = tables.of(AuditLog);
        const young: Where<AuditEntry> = [
          ['seq', '>', seq],
          ['created_at', '>=', before],
        ];
        const [first] = await log.find({ where: young, order: [['seq', 'asc']], limit: 1, columns: ['seq'] });
        return first ? (first.seq as number) - 1 - seq : log.count([['seq', '>', seq]]);
      },
      { readOnly: true },
    );
  }
}
