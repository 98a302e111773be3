import type { AuditedStore } from '../audit/audited-store.ts';
import { unblockNext } from '../job/blocked-jobs.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/ticker.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { runningUnder, Worker, type WorkerRow } from '../worker/worker.ts';
import { finishJobs, lostResult } from './finish-jobs.ts';

const actor = trustedActor('worker reaper');

/** How often leases are looked at; with the lease it bounds how long a dead worker's jobs stay unnoticed. */
const leasePoll: Milliseconds = 1000;
const waitingPoll: Milliseconds = 60_000;
const most = 500;

export interface WorkerReaperOptions {
  readonly store: AuditedStore;
  readonly clock: Clock;
  /** Called after jobs may have become due. */
  onJobs?(): void;
  onWorkerLost?(worker: string, jobs: number): void;
}

/** Marks the jobs of dead workers lost, and sees to it that no job waits for one that has long ended. */
export class WorkerReaper implements Ticker {
  readonly name = 'worker reaper';
  readonly #options: WorkerReaperOptions;
  #waitingSeenAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerReaperOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, clock } = this.#options;
    const dead = await store.read((tables) => deadWorkers(tables));
    const more = dead.length > 0 && (await store.transaction(actor, (tables) => this.#bury(tables)));
    if (clock.elapsed() - this.#waitingSeenAt >= waitingPoll) {
      await store.transaction(actor, releaseStranded);
      this.#waitingSeenAt = clock.elapsed();
    }
    return more ? 0 : leasePoll;
  }

  /** @returns whether there may be more to do at once. */
  async #bury(tables: Tables): Promise<boolean> {
    const [worker] = await deadWorkers(tables, 'skip');
    if (!worker) return false;
    const jobs = await tables.of(Job).find({ where: runningUnder(worker.name), limit: most });
    const now = await tables.now();
    const reason = `its worker ${worker.name} died: the lease ran out`;
    await finishJobs(
      tables,
      jobs.map((job) => lostResult(job, now, reason)),
    );
    if (jobs.length < most) await tables.of(Worker).delete([['id', '=', worker.id]]);
    tables.afterCommit(() => {
      this.#options.onWorkerLost?.(worker.name, jobs.length);
      this.#options.onJobs?.();
    });
    return true;
  }
}

/** The lease is over when its last moment has passed: a worker may renew it up to then. */
async function deadWorkers(tables: Tables, lock?: 'skip'): Promise<WorkerRow[]> {
  const where: Where<WorkerRow> = [['lease_until', '<', await tables.now()]];
  return tables.of(Worker).find({ where, limit: 1, ...(lock && { lock }) });
}

/** Jobs that wait though nothing of their template runs or is due: nothing else would ever wake them. */
async function releaseStranded(tables: Tables): Promise<void> {
  const now = await tables.now();
  const held: Where<JobRow> = [
    ['state', '=', 'scheduled'],
    ['queue_at', '=', null],
  ];
  const waiting = (await tables.of(Job).countBy(['runtemplate_id'], held)).map(({ values }) => values[0]);
  const locked = await lockTemplates(tables, waiting.slice(0, most), 'skip');
  const busy: Where<JobRow> = [
    ['runtemplate_id', 'in', [...locked.keys()]],
    {
      any: [
        [['state', '=', 'running']],
        [
          ['state', '=', 'scheduled'],
          ['queue_at', '<=', now],
        ],
      ],
    },
  ];
  const moving = new Set((await tables.of(Job).countBy(['runtemplate_id'], busy)).map(({ values }) => values[0]));
  await unblockNext(
    tables,
    [...locked.keys()].filter((id) => !moving.has(id)),
  );
}
