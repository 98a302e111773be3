import type { AuditedStore } from '../audit/audited-store.ts';
import { Job } from '../job/job.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { ExternalLease } from './external-lease.ts';
import { reapExternal } from './finish-external.ts';

const actor = trustedActor('external lease reaper');

/** How often leases are checked: a dead external worker is detected at most this long after its lease has run out. */
const poll: Milliseconds = 1000;
const batchSize = 500;

export interface ExternalLeaseReaperOptions {
  readonly store: AuditedStore;
  /** The names of the external executors. */
  readonly executors: readonly string[];
  /** Called after jobs may have become due. */
  onJobs?(): void;
}

/** Ends external attempts whose lease ran out, which exceed their timeout, or which were asked to stop. */
export class ExternalLeaseReaper implements Ticker {
  readonly name = 'external lease reaper';
  readonly #options: ExternalLeaseReaperOptions;

  constructor(options: ExternalLeaseReaperOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, onJobs } = this.#options;
    const jobIds = await store.read((tables) => this.#jobsToEnd(tables));
    if (jobIds.length === 0) return poll;
    const ended = await store.transaction(actor, async (tables) => {
      if (onJobs) tables.afterCommit(onJobs);
      return reapExternal(tables, jobIds, 'skip');
    });
    return ended > 0 ? 0 : poll;
  }

  async #jobsToEnd(tables: Tables): Promise<number[]> {
    if ((await tables.of(ExternalLease).count([], 1)) === 0) return [];
    const overdue = await tables.of(ExternalLease).find({
      where: [['ends_at', '<', await tables.now()]],
      order: [['ends_at', 'asc']],
      limit: batchSize,
      columns: ['job_id'],
    });
    const stopped = await tables.of(Job).find({
      where: [
        ['state', '=', 'running'],
        ['stop_reason', '!=', null],
        ['executor', 'in', this.#options.executors],
      ],
      limit: batchSize,
      columns: ['id'],
    });
    return [...new Set([...overdue.map((lease) => lease.job_id), ...stopped.map((job) => job.id)])];
  }
}
