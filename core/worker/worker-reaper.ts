import { finishJobs, lostAttempt } from '../attempt/finish-jobs.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { Job } from '../job/job.ts';
import { runningUnder } from '../job/stop-requests.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { WorkerLease, type WorkerLeaseRow } from './worker-lease.ts';

const actor = trustedActor('worker reaper');

/** How often leases are checked: a dead worker is detected at most this long after its lease has run out. */
const leasePoll: Milliseconds = 1000;
const batchSize = 500;

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
    const expired = await store.read((tables) => expiredWorker(tables));
    const more = expired !== undefined && (await store.transaction(actor, (tables) => this.#expire(tables)));
    return more ? 0 : leasePoll;
  }

  /** @returns whether there may be more to do at once. */
  async #expire(tables: Tables): Promise<boolean> {
    const worker = await expiredWorker(tables, 'skip');
    if (!worker) return false;
    const jobs = await tables.of(Job).find({ where: runningUnder(worker.name), limit: batchSize });
    const now = await tables.now();
    const reason = `its worker ${worker.name} died: the lease ran out`;
    await finishJobs(
      tables,
      jobs.map((job) => lostAttempt(job, now, reason)),
    );
    if (jobs.length < batchSize) await tables.of(WorkerLease).delete([['id', '=', worker.id]]);
    tables.afterCommit(() => {
      this.#options.onWorkerLost?.(worker.name, jobs.length);
      this.#options.onJobs?.();
    });
    return true;
  }
}

/** Finds a worker whose lease ran out. The last moment still belongs to the lease: the worker may renew it then. */
async function expiredWorker(tables: Tables, lock?: 'skip'): Promise<WorkerLeaseRow | undefined> {
  const where: Where<WorkerLeaseRow> = [['lease_until', '<', await tables.now()]];
  const [worker] = await tables.of(WorkerLease).find({ where, limit: 1, ...(lock && { lock }) });
  return worker;
}
