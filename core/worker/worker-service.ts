import type { AuditedStore } from '../audit/audited-store.ts';
import type { Executor } from '../executor/executor.ts';
import { StrandedJobs } from '../job/stranded-jobs.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import type { DailyLimits } from '../quota/daily-usage.ts';
import { leaseTimes } from './lease/lease-epoch.ts';
import { LeaseGuard } from './lease/lease-guard.ts';
import { WorkerReaper } from './lease/worker-reaper.ts';
import type { PreparationContext } from './prepare-attempts.ts';
import { Runner } from './runner.ts';
import { Worker, type WorkerOptions } from './worker.ts';

export interface WorkerServiceOptions
  extends Pick<WorkerOptions, 'host' | 'pid' | 'capacity' | 'vault' | 'digests' | 'clock'> {
  readonly lease?: Milliseconds | undefined;
  readonly events: { leaseLost(jobIds: readonly number[]): void; workerLost(worker: string, jobs: number): void };
}

export interface WorkerServiceParts {
  readonly store: AuditedStore;
  readonly poll: Milliseconds;
  readonly executors: ReadonlyMap<string, Executor>;
  readonly preparation: PreparationContext & { readonly dailyLimits: DailyLimits };
  wakeRunner(): void;
  onJobs(): void;
}

/** What runs the jobs of this process, and ends the jobs of workers that died. */
export class WorkerService {
  readonly runner: Runner;
  readonly tickers: readonly Ticker[];

  constructor(
    options: WorkerServiceOptions,
    { store, poll, executors, preparation, wakeRunner, onJobs }: WorkerServiceParts,
  ) {
    const { host, pid, capacity, vault, digests, clock, events } = options;
    const worker = new Worker({
      ...{ host, pid, capacity, vault, digests, clock, executors },
      dailyLimits: preparation.dailyLimits,
      ...(preparation.timed && { timed: preparation.timed }),
      times: leaseTimes(options.lease),
      wake: wakeRunner,
      onLeaseLost: events.leaseLost,
    });
    this.runner = new Runner({ ...preparation, store, clock, worker, poll });
    const reaper = new WorkerReaper({ store, onJobs, onWorkerLost: events.workerLost });
    this.tickers = [this.runner, new LeaseGuard(worker), reaper, new StrandedJobs(store)];
  }
}
