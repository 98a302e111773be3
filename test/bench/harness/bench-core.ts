import { type AttemptResult, Core, type CoreOptions, type Executor, type Store, systemClock } from '@horarium/core';
import { NodeDigests, NodeVault, newVaultKey } from '@horarium/core/node';
import { QuickHasher } from '../../support/secrets/quick-hasher.ts';

export const benchVault = new NodeVault(newVaultKey());

/** Creates the service as in production but without channels, with an executor and a capacity, and further options. */
export function benchCore(
  store: Store,
  executor: Executor,
  capacity: number,
  more: Pick<CoreOptions, 'actions' | 'eventSourceKinds'> & { readonly executors?: readonly Executor[] } = {},
): Core {
  return new Core({
    version: 'bench',
    store,
    vault: benchVault,
    clock: systemClock,
    timezone: 'UTC',
    executors: [executor],
    ...more,
    passwordHasher: new QuickHasher(),
    digests: new NodeDigests(),
    host: 'bench',
    capacity,
    pingUrl: (job, key) => `http://127.0.0.1/api/v1/ping.json?job=${job}&key=${key}`,
    loginTtl: 3_600_000,
    events: {
      tickFailed: (tick, error) => console.error(`the ${tick} failed`, error),
      templateFailed: (id, error) => console.error(`template ${id} failed`, error),
      maintenanceFailed: (id, problem) => console.error(`maintenance window ${id} failed`, problem),
      leaseLost: (ids) => console.error(`${ids.length} jobs lost their lease`),
      workerLost: (worker) => console.error(`${worker} died`),
      auditForged: () => undefined,
      clockChanged: () => undefined,
      deliveryFailed: () => undefined,
      rowsExpired: () => undefined,
      auditArchived: () => undefined,
      auditNotArchived: () => undefined,
      taskUnmet: () => undefined,
      jobFailed: () => undefined,
      eventLoopBlocked: () => undefined,
    },
  });
}

/** An executor that counts the jobs it has started. */
export interface CountingExecutor extends Executor {
  readonly started: number;
  /** When the latest of them started, by `performance.now()`. */
  readonly lastStartedAt: number;
}

/** An executor whose jobs do nothing. */
export class NoopExecutor implements CountingExecutor {
  readonly name = 'noop';
  readonly options = {};
  started = 0;
  lastStartedAt = 0;

  start() {
    this.started += 1;
    this.lastStartedAt = performance.now();
    const done: AttemptResult = {
      exitCode: 0,
      signal: null,
      timedOut: false,
      reason: null,
      finishedAt: Date.now(),
      files: [],
    };
    return { done: Promise.resolve(done), stop() {} };
  }
}
