import { AgentLeaseReaper } from './agent/agent-lease-reaper.ts';
import { App } from './app/app.ts';
import { AuditArchiving } from './audit/archive/audit-archiving.ts';
import { ChangeFeed } from './audit/feed/change-feed.ts';
import { Sealer } from './audit/sealer.ts';
import { Calendar } from './calendar/calendar.ts';
import { Company } from './company/company.ts';
import type { CompleteOptions } from './core-options.ts';
import type { CoreStores, TransactionSignals } from './core-stores.ts';
import { deactivateTemplate } from './delivery/deactivate-template.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { conflict } from './errors.ts';
import { EventSource } from './event/event-source.ts';
import { EventProcessor } from './event/processor/event-processor.ts';
import { EventSourceReader } from './event/source-reader.ts';
import type { splitExecutors } from './executor/executor.ts';
import { ExternalLeaseReaper } from './external/external-lease-reaper.ts';
import { StrandedJobs } from './job/stranded-jobs.ts';
import type { Milliseconds } from './loop/clock.ts';
import type { EventLoopWatch } from './loop/event-loop-watch.ts';
import { Loop } from './loop/loop.ts';
import { MaintenancePlanner } from './maintenance/maintenance-planner.ts';
import { MaintenanceWindow } from './maintenance/maintenance-window.ts';
import { Pause } from './pause/pause.ts';
import { dailyUsage } from './quota/daily-usage.ts';
import type { IdempotencyKeys } from './records/idempotency.ts';
import type { RecordsContext } from './records/records.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { withResourceNames } from './resource/with-resource-names.ts';
import { ExpiredBookkeeping } from './retention/expired-bookkeeping.ts';
import { type RetentionOptions, retentionTicker } from './retention/retention.ts';
import { PauseReleaser } from './scheduler/release-pauses.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import type { OpenHints } from './store/store.ts';
import { RunTemplate } from './template/run-template.ts';
import { wakeOnChange } from './template/wake-on-change.ts';
import { expiredTokens } from './user/expired-tokens.ts';
import type { LoginThrottle } from './user/login-throttle.ts';
import { leaseTimes } from './worker/lease/lease-epoch.ts';
import { LeaseGuard } from './worker/lease/lease-guard.ts';
import { WorkerReaper } from './worker/lease/worker-reaper.ts';
import type { PreparationContext } from './worker/prepare-attempts.ts';
import { Runner } from './worker/runner.ts';
import { Worker } from './worker/worker.ts';

/** How long background work waits at most before it looks for what other hosts did. */
const poll: Milliseconds = 1000;

/** What calls of the API tell the background, which acts at once instead of at its next poll. */
export interface BackgroundSignals extends TransactionSignals {
  /**
   * Jobs may start now.
   * @param mayStop whether running ones may have been asked to stop. @default true
   */
  onJobs(mayStop?: boolean): void;
  /** Records that decide which jobs run have changed. */
  onSchedules(): void;
  onSources(): void;
}

export interface BackgroundParts {
  readonly stores: CoreStores;
  readonly records: RecordsContext;
  readonly watch: EventLoopWatch;
  readonly executors: ReturnType<typeof splitExecutors>;
  readonly preparation: PreparationContext;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly throttle: LoginThrottle;
}

/** Returns what deletes the rows that a core keeps no longer. */
export function retentionOptions(
  { clock, timezone, retention: rules, events }: CompleteOptions,
  { background: store, backgroundStore: plainStore }: CoreStores,
): RetentionOptions {
  return { store, plainStore, clock, timezone, rules, onDeleted: events.rowsExpired };
}

/** Returns the signals of a background that is made after those who signal. */
export function signalsOf(background: () => Background): BackgroundSignals {
  return {
    onJobs: (mayStop) => background().onJobs(mayStop),
    onSchedules: () => background().onSchedules(),
    onEvents: () => background().onEvents(),
    onSources: () => background().onSources(),
    onDeliveries: () => background().onDeliveries(),
    onClockStep: () => background().onClockStep(),
  };
}

/** Returns the resources so that changes of the records that the background works by wake it. */
export function wakingResources(resources: readonly AnyResource[], signals: BackgroundSignals): readonly AnyResource[] {
  const { onSchedules, onSources } = signals;
  const scheduled = wakeOnChange(
    withResourceNames(resources),
    [RunTemplate, Calendar, App, Company, Pause, MaintenanceWindow],
    onSchedules,
  );
  return wakeOnChange(scheduled, [EventSource], onSources);
}

/** The work of a core in the background: schedules and runs jobs, processes events, delivers, and keeps order. */
export class Background implements BackgroundSignals {
  readonly loop: Loop;
  readonly auditArchiving: AuditArchiving;
  readonly changeFeed: ChangeFeed;
  readonly #options: CompleteOptions;
  readonly #stores: CoreStores;
  readonly #scheduler: Scheduler;
  readonly #maintenancePlanner: MaintenancePlanner;
  readonly #pauseReleaser: PauseReleaser;
  readonly worker: Worker;
  readonly #runner: Runner;
  readonly #eventProcessor: EventProcessor;
  readonly #sourceReader: EventSourceReader;
  readonly #deliveries: Deliveries;
  readonly #externalLeaseReaper: ExternalLeaseReaper;
  readonly #sealer: Sealer;
  readonly #stopRequested = new AbortController();
  /** Called when jobs may have become due, or are to stop, here or on another host. */
  readonly #listeners = new Set<() => void>();
  #hints: OpenHints | undefined;
  #isStarted = false;
  #stopped: Promise<void> | null = null;

  constructor(options: CompleteOptions, parts: BackgroundParts) {
    const { stores, records, watch, executors, preparation, idempotencyKeys, throttle } = parts;
    const { clock, events } = options;
    const { background: store, backgroundStore, keyManager } = stores;
    this.#options = options;
    this.#stores = stores;
    this.changeFeed = new ChangeFeed({ store: stores.requests, clock, poll, stopped: this.stopping });
    const onJobs = () => this.onJobs();
    const onDueJobs = () => this.onJobs(false);
    const common = { ...options, store, poll };
    this.#scheduler = new Scheduler({ ...common, onJobs: onDueJobs, onTemplateFailed: events.templateFailed });
    this.#maintenancePlanner = new MaintenancePlanner({
      ...common,
      onFailed: events.maintenanceFailed,
      onPauses: () => this.loop.wake(this.#pauseReleaser),
    });
    this.#pauseReleaser = new PauseReleaser({ ...common, onJobs: onDueJobs });
    const worker = new Worker({
      ...options,
      executors: executors.startedHere,
      dailyLimits: options,
      timed: watch.sync,
      times: leaseTimes(options.lease),
      wake: () => this.loop.wake(this.#runner),
      onLeaseLost: events.leaseLost,
    });
    this.worker = worker;
    this.#runner = new Runner({ ...preparation, store, clock, worker, poll });
    this.#eventProcessor = new EventProcessor({ ...common, onJobs: onDueJobs });
    this.#sourceReader = new EventSourceReader({
      ...common,
      kinds: options.eventSourceKinds,
      onEvents: () => this.onEvents(),
      onError: events.tickFailed,
    });
    const external = [...executors.external.keys()];
    this.#externalLeaseReaper = new ExternalLeaseReaper({ store, executors: external, onJobs });
    this.#deliveries = new Deliveries({
      ...common,
      wake: () => this.onDeliveries(),
      deactivateTemplate: (event) => deactivateTemplate(records, event),
      onFailed: events.deliveryFailed,
    });
    const hmac = () => keyManager.auditKey();
    this.#sealer = new Sealer({ store: backgroundStore, hmac, onForged: events.auditForged });
    this.auditArchiving = new AuditArchiving({
      store: backgroundStore,
      hmac,
      archive: options.auditArchive,
      days: options.retention.auditDays,
      clock,
      onArchived: events.auditArchived,
      onRefused: events.auditNotArchived,
    });
    this.loop = new Loop({
      clock,
      watch,
      onError: events.tickFailed,
      tickers: [
        stores.clockWatch,
        this.#scheduler,
        this.#maintenancePlanner,
        this.#pauseReleaser,
        this.#runner,
        new LeaseGuard(worker),
        new WorkerReaper({ store, onJobs, onWorkerLost: events.workerLost }),
        new StrandedJobs(store),
        this.#eventProcessor,
        this.#sourceReader,
        this.#externalLeaseReaper,
        new AgentLeaseReaper({ store, onJobs }),
        this.#deliveries,
        this.#sealer,
        ...options.tickers,
        new ExpiredBookkeeping(store, [idempotencyKeys, throttle, dailyUsage, expiredTokens]),
        retentionTicker(retentionOptions(options, stores)),
        ...(options.retention.auditDays < Infinity ? [this.auditArchiving.ticker] : []),
      ],
    });
  }

  /** Aborted once the core is to stop. */
  get stopping(): AbortSignal {
    return this.#stopRequested.signal;
  }

  /** Ids of the jobs that this process runs. */
  get running(): readonly number[] {
    return this.worker.running;
  }

  /** As `Core.start`. */
  async start(): Promise<void> {
    await this.#stores.keyManager.check();
    // Nothing is decided before the clock is known to be right.
    await this.#stores.clockWatch.tick();
    if (this.#isStarted || this.#stopped)
      throw conflict(`The core was ${this.#stopped ? 'stopped: create another one' : 'started already'}.`);
    this.#isStarted = true;
    this.loop.start();
    this.#hints = this.#options.store.hints?.open(() => this.#lookForWork());
  }

  /** As `Core.stop`. */
  stop(grace: Milliseconds): Promise<void> {
    this.#stopped ??= this.#stop(grace);
    return this.#stopped;
  }

  async #stop(grace: Milliseconds): Promise<void> {
    this.#stopRequested.abort('stopped');
    if (!this.#isStarted) return;
    try {
      if (this.#options.capacity > 0) await this.#runner.drain(grace);
      await this.#deliveries.drain();
    } finally {
      await this.#hints?.close();
      await this.loop.stop();
      await this.#sourceReader.stop();
    }
    // What the last moments wrote would otherwise stay open until the next start.
    await this.#sealer.finish(this.#options.clock);
  }

  onJobs(mayStop = true): void {
    this.#hints?.send();
    this.#runner.expectJobs();
    if (mayStop) this.#lookForStops();
    this.loop.wake(this.#runner);
    for (const listener of this.#listeners) listener();
  }

  /** Calls back when jobs may have become due, or are to stop. @returns a function that ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEvents(): void {
    this.#eventProcessor.expectEvents();
    this.loop.wake(this.#eventProcessor);
  }

  onDeliveries(): void {
    this.loop.wake(this.#deliveries);
  }

  onSchedules(): void {
    this.loop.wake(this.#scheduler);
    this.loop.wake(this.#maintenancePlanner);
    this.loop.wake(this.#pauseReleaser);
    this.loop.wake(this.#runner);
  }

  onSources(): void {
    this.loop.wake(this.#sourceReader);
  }

  onClockStep(): void {
    this.loop.wake(this.#stores.clockWatch);
  }

  /** Another host may have written jobs, requests to stop some, or events. */
  #lookForWork(): void {
    this.changeFeed.wake();
    this.loop.wake(this.#eventProcessor);
    this.#runner.lookForJobs();
    this.#lookForStops();
    this.loop.wake(this.#runner);
    for (const listener of this.#listeners) listener();
  }

  #lookForStops(): void {
    this.#runner.lookForStops();
    this.loop.wake(this.#externalLeaseReaper);
  }
}
