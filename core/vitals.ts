import type { AuditedStore } from './audit/audited-store.ts';
import { WorkerLease } from './executor/worker-lease.ts';
import { Job } from './job/job.ts';
import { type JobState, jobStates } from './job/job-states.ts';
import type { Clock, Milliseconds } from './loop/clock.ts';
import { dueJobs, lagSeconds } from './status.ts';
import type { Tables } from './store/store.ts';

/** How the whole service does, in figures. */
export interface ServiceFigures {
  readonly jobs: Readonly<Record<JobState, number>>;
  readonly lagSeconds: number;
  readonly due: number;
  /** Processes that run jobs, and how many jobs all of them can run at once. */
  readonly workers: number;
  readonly capacity: number;
}

/** Counting every job takes longer the more there are, and is asked for every few seconds. */
const countedFor: Milliseconds = 30_000;

/** Takes the figures of the service; what is costly is not taken anew each time. */
export class ServiceMetrics {
  readonly #store: AuditedStore;
  readonly #clock: Clock;
  #counted: { readonly jobs: ServiceFigures['jobs']; readonly at: Milliseconds } | null = null;

  constructor(store: AuditedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  take(): Promise<ServiceFigures> {
    return this.#store.read(async (tables) => {
      const workers = await tables.of(WorkerLease).find({ columns: ['capacity'] });
      return {
        jobs: await this.#jobs(tables),
        lagSeconds: await lagSeconds(tables),
        due: await tables.of(Job).count(await dueJobs(tables)),
        workers: workers.length,
        capacity: workers.reduce((sum, { capacity }) => sum + capacity, 0),
      };
    });
  }

  async #jobs(tables: Tables): Promise<ServiceFigures['jobs']> {
    const now = this.#clock.elapsed();
    if (!this.#counted || this.#counted.at < now - countedFor) {
      const counted = new Map((await tables.of(Job).countBy(['state'])).map(({ values, count }) => [values[0], count]));
      const jobs = Object.fromEntries(
        jobStates.map((state) => [state, counted.get(state) ?? 0]),
      ) as ServiceFigures['jobs'];
      this.#counted = { jobs, at: now };
    }
    return this.#counted.jobs;
  }
}
