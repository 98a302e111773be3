import type { AuditedStore } from '../../audit/audited-store.ts';
import { Job } from '../../job/job.ts';
import { runningUnder } from '../../job/stop-requests.ts';
import type { Milliseconds } from '../../loop/clock.ts';
import type { Ticker } from '../../loop/loop.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import { trustedActor } from '../../resource/actor.ts';
import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import { finishJobs, lockToFinish, lostAttempt } from '../finish/finish-jobs.ts';
import { rememberedFor, WorkerLease, type WorkerLeaseRow } from './worker-lease.ts';

const actor = trustedActor('worker reaper');

/** How often leases are checked: a dead worker is detected at most this long after its lease has run out. */
const leasePoll: Milliseconds = 1000;
const batchSize = 500;
/** How many dead workers are read at once: other transactions may have locked the templates of some. */
const maxWorkers = 20;

export interface WorkerReaperOptions {
  readonly store: AuditedStore;
  /** Called after jobs may have become due. */
  onJobs?(): void;
  onWorkerLost?(worker: string, jobs: number): void;
}

/** Expires workers whose lease ran out, and marks their jobs lost. */
export class WorkerReaper implements Ticker {
  readonly name = 'worker reaper';
  readonly #options: WorkerReaperOptions;

  constructor(options: WorkerReaperOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store } = this.#options;
    const [dead] = await store.read((tables) => deadWorkers(tables, 1));
    const more = dead !== undefined && (await store.transaction(actor, (tables) => this.#expire(tables)));
    return more ? 0 : leasePoll;
  }

  /** @returns whether there may be more to do at once. */
  async #expire(tables: Tables): Promise<boolean> {
    const workers = await deadWorkers(tables, maxWorkers, 'skip');
    const forgotten = workers.flatMap(({ id, lost_at }) => (lost_at === null ? [] : [id]));
    if (forgotten.length > 0) await tables.of(WorkerLease).delete([['id', 'in', forgotten]]);
    for (const worker of workers) {
      await yieldToEventLoop();
      if (worker.lost_at === null && (await this.#markLost(tables, worker))) return true;
    }
    return false;
  }

  /** Marks jobs of a worker lost, but for those that it cannot write without waiting. @returns whether it wrote any. */
  async #markLost(tables: Tables, worker: WorkerLeaseRow): Promise<boolean> {
    const jobs = await tables.of(Job).find({ where: runningUnder(worker.name), limit: batchSize });
    const { ids, schedules } = await lockToFinish(tables, jobs);
    if (ids.size === 0 && jobs.length > 0) return false;
    const now = await tables.now();
    const reason = `its worker ${worker.name} died: the lease ran out`;
    const lost = jobs.filter(({ id }) => ids.has(id));
    await finishJobs(
      tables,
      lost.map((job) => lostAttempt(job, now, reason)),
      schedules,
    );
    if (jobs.length < batchSize && lost.length === jobs.length)
      await tables.of(WorkerLease).updateWhere([['id', '=', worker.id]], { lost_at: now });
    tables.afterCommit(() => {
      this.#options.onWorkerLost?.(worker.name, lost.length);
      this.#options.onJobs?.();
    });
    return true;
  }
}

/**
 * Finds workers whose lease ran out, and lost ones that need not be remembered any more. The last moment still belongs to
 * the lease: the worker may renew it then.
 */
async function deadWorkers(tables: Tables, limit: number, lock?: 'skip'): Promise<WorkerLeaseRow[]> {
  const now = await tables.now();
  const expired: Where<WorkerLeaseRow> = [
    ['lease_until', '<', now],
    ['lost_at', '=', null],
  ];
  const forgotten: Where<WorkerLeaseRow> = [['lost_at', '<', now - rememberedFor]];
  return tables.of(WorkerLease).find({ where: [{ any: [expired, forgotten] }], limit, ...(lock && { lock }) });
}
