import type { Claim } from './attempt/claim-jobs.ts';
import { prepareAttempts } from './attempt/prepare-attempts.ts';
import type { AuditedStore } from './audit/audited-store.ts';
import type { CoreOptions } from './core-options.ts';
import { type Executor, type ExternalExecutor, isStartedHere } from './executor/executor.ts';
import { ExternalJobs } from './external/external-jobs.ts';
import { ExternalLeaseReaper } from './external/external-lease-reaper.ts';
import { Heartbeats } from './external/heartbeats.ts';
import { Jobs } from './job/jobs.ts';
import { encryptOverrides } from './job/overrides.ts';
import { storeArtifacts } from './job/store-artifacts.ts';
import type { Milliseconds } from './loop/clock.ts';
import { mayRun } from './resource/permissions.ts';
import type { Tables } from './store/store.ts';
import { disabledReason } from './template/disabled-reason.ts';
import { Runner } from './worker/runner.ts';
import { leaseTimes } from './worker/worker-lease.ts';

/** All that makes jobs, runs them and has them run. */
export interface JobWork {
  readonly jobs: Jobs;
  readonly externalJobs: ExternalJobs;
  readonly heartbeats: Heartbeats;
  readonly externalLeaseReaper: ExternalLeaseReaper;
  readonly runner: Runner;
}

type Options = Omit<CoreOptions, 'store'> & {
  readonly store: AuditedStore;
  /** How long a worker waits at most before it looks for jobs that others made. */
  readonly poll: Milliseconds;
  /** Lets background work of that name begin at once. */
  wake(tick: string): void;
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
    storeArtifacts,
    wake: () => wake('runner'),
    onLeaseLost: events.leaseLost,
  });
  const onJobs = () => {
    runner.lookForStops();
    wake('runner');
    wake('external lease reaper');
  };
  const access = { store, mayRun, onJobs };
  return {
    runner,
    jobs: new Jobs({
      ...access,
      executors: [...executors.keys()],
      disabledReason: disabledReason,
      overrides: (tables, template, given, stored) => encryptOverrides(tables, vault, template, given, stored),
    }),
    externalJobs: new ExternalJobs({ ...access, executors: external, digests, prepare }),
    heartbeats: new Heartbeats({ store, digests, prepare }),
    externalLeaseReaper: new ExternalLeaseReaper({
      store,
      executors: [...external.keys()],
      onJobs: () => wake('runner'),
    }),
  };
}
