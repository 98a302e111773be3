import type { AuditedStore } from './audit/audited-store.ts';
import type { CoreOptions } from './core-options.ts';
import type { Milliseconds } from './loop/clock.ts';
import type { Tables } from './resource/store.ts';
import type { Claim } from './run/claim-jobs.ts';
import { type Executor, type ExternalExecutor, isStartedHere } from './run/executor.ts';
import { ExternalJobs } from './run/external-jobs.ts';
import { ExternalKeeper } from './run/external-keeper.ts';
import { Heartbeats } from './run/heartbeats.ts';
import { Jobs } from './run/jobs.ts';
import { keepFiles } from './run/kept-files.ts';
import { sealOverrides } from './run/overrides.ts';
import { prepareAttempts } from './run/prepare-attempts.ts';
import { Runner } from './run/runner.ts';
import { leaseTimes } from './run/worker-lease.ts';
import { whyDisabled } from './schedule/follow-records.ts';
import { permissionGuard } from './user/permission-guard.ts';
import { mayRun } from './user/permissions.ts';

/** All that makes jobs, runs them and has them run. */
export interface JobWork {
  readonly jobs: Jobs;
  readonly externalJobs: ExternalJobs;
  readonly heartbeats: Heartbeats;
  readonly externalKeeper: ExternalKeeper;
  readonly runner: Runner;
}

type Options = Omit<CoreOptions, 'store'> & {
  readonly store: AuditedStore;
  /** How long a worker waits at most before it looks for jobs that others made. */
  readonly poll: Milliseconds;
  /** Lets background work of that name begin at once. */
  wake(beat: string): void;
};

export function jobWork(options: Options): JobWork {
  const { store, clock, executors, worker, vault, digests, events, pingUrl, poll, wake } = options;
  const external = new Map<string, ExternalExecutor>();
  const startedHere = new Map<string, Executor>();
  for (const [name, executor] of executors) {
    if (isStartedHere(executor)) startedHere.set(name, executor);
    else external.set(name, executor);
  }
  const prepare = (tables: Tables, claims: readonly Claim[]) =>
    prepareAttempts(tables, claims, { vault, digests, pingUrl });
  const runner = new Runner({
    store,
    clock,
    executors: startedHere,
    capacity: worker.capacity,
    times: leaseTimes(options.lease),
    poll,
    identify: () => ({
      ...worker,
      vault_keys: vault.fingerprints.join(),
      name: `${worker.host}:${worker.pid}:${digests.random().slice(0, 12)}`,
    }),
    prepare,
    keepFiles,
    wake: () => wake('runner'),
    onLeaseLost: events.leaseLost,
  });
  const onJobs = () => {
    runner.lookForStops();
    wake('runner');
    wake('external keeper');
  };
  const access = { store, guard: permissionGuard, mayRun, onJobs };
  return {
    runner,
    jobs: new Jobs({
      ...access,
      executors: [...executors.keys()],
      whyNot: whyDisabled,
      overrides: (tables, template, given, stored) => sealOverrides(tables, vault, template, given, stored),
    }),
    externalJobs: new ExternalJobs({ ...access, executors: external, digests, prepare }),
    heartbeats: new Heartbeats({ store, digests, prepare }),
    externalKeeper: new ExternalKeeper({ store, executors: [...external.keys()], onJobs: () => wake('runner') }),
  };
}
