import type { AuditedStore } from '../audit/audited-store.ts';
import { Job } from '../job/job.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/ticker.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { endExternal } from './end-external.ts';
import { ExternalLease } from './external-lease.ts';

const actor = trustedActor('external lease reaper');

/** With the lease it bounds how long it stays unnoticed that nobody works on an attempt any more. */
const poll: Milliseconds = 1000;
const most = 500;

export interface ExternalLeaseReaperOptions {
  readonly store: AuditedStore;
  /** The names of the executors whose attempts are made outside. */
  readonly executors: readonly string[];
  /** Called after jobs may have become due. */
  onJobs?(): void;
}

/** Ends attempts outside that nobody works on any more, that take too long, or that are to be stopped. */
export class ExternalLeaseReaper implements Ticker {
  readonly name = 'external lease reaper';
  readonly #options: ExternalLeaseReaperOptions;

  constructor(options: ExternalLeaseReaperOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, onJobs } = this.#options;
    const over = await store.read((tables) => this.#over(tables));
    if (over.length === 0) return poll;
    const ended = await store.transaction(actor, async (tables) => {
      if (onJobs) tables.afterCommit(onJobs);
      return endExternal(tables, over, 'skip');
    });
    return ended > 0 ? 0 : poll;
  }

  async #over(tables: Tables): Promise<number[]> {
    if ((await tables.of(ExternalLease).count([], 1)) === 0) return [];
    const silent = await tables.of(ExternalLease).find({
      where: [['ends_at', '<', await tables.now()]],
      order: [['ends_at', 'asc']],
      limit: most,
      columns: ['job_id'],
    });
    const unwanted = await tables.of(Job).find({
      where: [
        ['state', '=', 'running'],
        ['stop_reason', '!=', null],
        ['executor', 'in', this.#options.executors],
      ],
      limit: most,
      columns: ['id'],
    });
    return [...new Set([...silent.map((lease) => lease.job_id as number), ...unwanted.map((job) => job.id)])];
  }
}
