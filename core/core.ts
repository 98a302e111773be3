import { App } from './app/app.ts';
import { variableRefusal } from './app/forbidden-variables.ts';
import { AuditedStore, type Signer } from './audit/audited-store.ts';
import { Sealer } from './audit/sealer.ts';
import { type Verification, type VerifyOptions, verifyAudit } from './audit/verify.ts';
import { ClockConfirmation } from './clock-confirmation.ts';
import { ClockWatch } from './clock-watch.ts';
import { Company } from './company/company.ts';
import { type CompleteOptions, type CoreOptions, completeCoreOptions, recordServicesOf } from './core-options.ts';
import { ActionService } from './delivery/action-service.ts';
import { deliveryRetention } from './delivery/delivery.ts';
import type { DeliveryRecords } from './delivery/delivery-records.ts';
import { conflict, denied } from './errors.ts';
import { EventService } from './event/event-service.ts';
import { EventSource } from './event/event-source.ts';
import type { EventSources } from './event/event-sources.ts';
import type { Events } from './event/events.ts';
import { executorsByName, splitExecutors } from './executor/executor.ts';
import { FunctionExecutor } from './executor/function-executor.ts';
import { ExternalJobs } from './external/external-jobs.ts';
import { ExternalLeaseReaper } from './external/external-lease-reaper.ts';
import { Heartbeats } from './external/heartbeats.ts';
import { PingAddresses } from './external/ping-addresses.ts';
import { Pings } from './external/pings.ts';
import { WithFunctions } from './function-records.ts';
import { readArtifact, type StoredArtifact } from './job/artifact.ts';
import { Jobs, type JobsOptions } from './job/jobs.ts';
import { JoinedCore } from './joined-core.ts';
import type { Clock, Instant, Milliseconds } from './loop/clock.ts';
import { EventLoopWatch } from './loop/event-loop-watch.ts';
import { Loop } from './loop/loop.ts';
import { ChangeQuota } from './quota/change-quota.ts';
import { dailyUsage } from './quota/daily-usage.ts';
import { IdempotencyKeys } from './records/idempotency.ts';
import { Records, type RecordsContext } from './records/records.ts';
import { visibleTo } from './resource/access.ts';
import { type Actor, trustedActor } from './resource/actor.ts';
import type { AnyResource, Resource } from './resource/define-resource.ts';
import { isAdmin } from './resource/permissions.ts';
import { type Detail, serialize } from './resource/serialize.ts';
import { withResourceNames } from './resource/with-resource-names.ts';
import { findResource, productObservers, rotationRules, tablesOf } from './resources.ts';
import { Retention } from './retention.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { type PlannedRun, simulate, templatesToRun } from './scheduler/simulate.ts';
import { KeyManager } from './secret/key-manager.ts';
import type { Rotation, RotationProgress } from './secret/rotate-vault.ts';
import { type FigureOptions, type Readiness, type ServiceFigures, ServiceStatus, stopping } from './service-status.ts';
import { QueryCache } from './store/query-cache.ts';
import type { OpenHints, Store, Tables } from './store/store.ts';
import type { AnyRow } from './store/table.ts';
import { Task } from './task/task.ts';
import { type DaySummary, type SummaryQuery, summarizeTasks } from './task/task-summary.ts';
import { Tasks } from './task/tasks.ts';
import { type PlannedWindow, type PreviewRange, preview } from './template/preview.ts';
import { RunTemplate } from './template/run-template.ts';
import { wakeOnChange } from './template/wake-on-change.ts';
import { second } from './time/duration.ts';
import { BoundedHasher } from './user/bounded-hasher.ts';
import { LoginThrottle } from './user/login-throttle.ts';
import { PasswordChange } from './user/password-change.ts';
import { Roles } from './user/roles.ts';
import { SignIn } from './user/sign-in.ts';
import { Tokens } from './user/tokens.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import type { Runner } from './worker/runner.ts';
import { WorkerService } from './worker/worker-service.ts';

/** How long background work waits at most before it looks for what other hosts did. */
const poll: Milliseconds = 1000;

/** The whole service without any channel: records and use cases for callers, and the work in the background. */
export class Core extends WithFunctions implements AsyncDisposable {
  readonly version: string;
  readonly clock: Clock;
  readonly timezone: string;
  readonly store: AuditedStore;
  /** Every kind of record, with what later layers contribute to it. */
  readonly resources: readonly AnyResource[];
  readonly idempotencyKeys: IdempotencyKeys;
  readonly signIn: SignIn;
  readonly tokens: Tokens;
  readonly passwordChange: PasswordChange;
  readonly roles: Roles;
  /** Knows what blocks the event loop of this process, once the core is started. */
  readonly eventLoop: EventLoopWatch;
  override readonly jobs: Jobs;
  override readonly tasks: Tasks;
  readonly externalJobs: ExternalJobs;
  readonly heartbeats: Heartbeats;
  override readonly events: Events;
  readonly pings: Pings;
  override readonly eventSources: EventSources;
  override readonly deliveries: DeliveryRecords;
  readonly clockConfirmation: ClockConfirmation;
  readonly #options: CompleteOptions;
  readonly #keyManager: KeyManager;
  readonly #recordsContext: RecordsContext;
  readonly #jobsOptions: JobsOptions;
  readonly #status: ServiceStatus;
  readonly #clockWatch: ClockWatch;
  readonly #cache = new QueryCache();
  readonly #scheduler: Scheduler;
  readonly #runner: Runner;
  readonly #events: EventService;
  readonly #externalLeaseReaper: ExternalLeaseReaper;
  readonly #actions: ActionService;
  readonly #sealer: Sealer;
  readonly #loop: Loop;
  protected readonly functions: FunctionExecutor | undefined;
  readonly #stopRequested = new AbortController();
  #hints: OpenHints | undefined;
  #isStarted = false;
  #stopped: Promise<void> | null = null;

  /** @throws HorariumError `invalid` naming what is missing or invalid. */
  constructor(given: CoreOptions) {
    super();
    const options = completeCoreOptions(given);
    const { version, clock, timezone, digests, vault, events, pingUrl } = options;
    const executors = executorsByName(options.executors);
    this.#options = options;
    this.version = version;
    this.clock = clock;
    this.timezone = timezone;
    this.eventLoop = new EventLoopWatch(clock, (block) => events.eventLoopBlocked(block));
    const timed = this.eventLoop.sync;
    // The time by which everything is judged.
    const wake = () => this.#loop.wake(this.#clockWatch);
    const signer: Signer = (tables) => this.#keyManager.auditKeyIn(tables);
    const onChange = events.clockChanged;
    const { background = options.store } = options.store;
    this.#clockWatch = new ClockWatch({ store: background, clock, signer, host: options.host, wake, onChange });
    const requestStore = this.#over(options.store);
    // Records, and who may use them.
    const onEvents = () => {
      this.#events.processor.expectEvents();
      this.#loop.wake(this.#events.processor);
    };
    const backgroundStore = this.#over(background);
    const quota = new ChangeQuota(options.maxChangesPerDay);
    const onDeliveries = () => this.#loop.wake(this.#actions.ticker);
    const observers = productObservers({ onEvents, failures: events, outbox: { ...options, onDeliveries } });
    const store = new AuditedStore(requestStore, signer, { quota, observers });
    this.store = store;
    const ticking = store.over(backgroundStore);
    this.clockConfirmation = new ClockConfirmation(store, onChange);
    // These records decide which jobs run.
    const scheduled = wakeOnChange(withResourceNames(options.resources), [RunTemplate, App, Company], () => {
      this.#loop.wake(this.#scheduler);
      this.#loop.wake(this.#runner);
    });
    this.resources = wakeOnChange(scheduled, [EventSource], () => this.#loop.wake(this.#events.reader));
    const findByName = (name: string) => findResource(name, this.resources);
    const passwordHasher = new BoundedHasher(options.passwordHasher);
    const service = recordServicesOf(options, executors, passwordHasher);
    this.#recordsContext = { store, findResource: findByName, service, tables: tablesOf(this.resources) };
    this.#keyManager = new KeyManager({ store: backgroundStore, vault, ...rotationRules(this.resources) });
    this.idempotencyKeys = new IdempotencyKeys({ findResource: findByName, signer, quota });
    this.#status = new ServiceStatus({ version, store: requestStore, clock, resources: this.resources });
    // Users.
    const loginThrottle = new LoginThrottle(store, digests);
    this.signIn = new SignIn({ store, clock, digests, passwordHasher, loginThrottle, events });
    this.tokens = new Tokens({ store, digests, loginTtl: options.loginTtl });
    this.passwordChange = new PasswordChange({ store, users: this.records(User), passwordHasher, signIn: this.signIn });
    this.roles = new Roles({ store, records: this.records(UserRoles) });
    // Jobs: those that a worker of this process runs, and those that are done elsewhere.
    const { startedHere, external } = splitExecutors(executors);
    const onJobs = (mayStop = true) => this.#jobsChanged(mayStop);
    const onDueJobs = () => onJobs(false);
    const preparation = { vault, digests, executorSchemas: executors, pingUrl, timed, dailyLimits: options };
    const wakeRunner = () => this.#loop.wake(this.#runner);
    const workerParts = { store: ticking, poll, executors: startedHere, preparation, wakeRunner, onJobs };
    const { runner, tickers } = new WorkerService(options, workerParts);
    this.#runner = runner;
    this.functions = options.executors.find((executor) => executor instanceof FunctionExecutor);
    this.#jobsOptions = { records: this.#recordsContext, vault, maxQueued: options.maxQueued, onJobs };
    this.jobs = new Jobs(this.#jobsOptions);
    this.tasks = new Tasks({ ...this.#recordsContext, clock, poll, stopped: this.#stopRequested.signal });
    this.externalJobs = new ExternalJobs({ ...preparation, store, executors: external, onJobs });
    this.heartbeats = new Heartbeats({ ...preparation, store });
    const addresses = new PingAddresses({ store, digests, executors: external });
    this.pings = new Pings({ store, externalJobs: this.externalJobs, addresses, throttle: loginThrottle });
    // Events.
    const eventParts = {
      records: this.#recordsContext,
      background: ticking,
      poll,
      onJobs: onDueJobs,
      onEvents,
      throttle: loginThrottle,
    };
    this.#events = new EventService({ ...options, ...eventParts, kinds: options.eventSourceKinds });
    ({ events: this.events, sources: this.eventSources } = this.#events);
    const actionParts = { records: this.#recordsContext, background: ticking, poll, onDeliveries };
    this.#actions = new ActionService({ ...options, ...actionParts });
    this.deliveries = this.#actions.deliveries;
    // The background.
    this.#scheduler = new Scheduler({
      store: ticking,
      poll,
      onJobs: onDueJobs,
      onTemplateFailed: events.templateFailed,
    });
    this.#externalLeaseReaper = new ExternalLeaseReaper({ store: ticking, executors: [...external.keys()], onJobs });
    this.#sealer = new Sealer({
      store: backgroundStore,
      hmac: () => this.#keyManager.auditKey(),
      onForged: events.auditForged,
    });
    this.#loop = new Loop({
      clock,
      watch: this.eventLoop,
      onError: events.tickFailed,
      tickers: [
        this.#clockWatch,
        this.#scheduler,
        ...tickers,
        ...this.#events.tickers,
        this.#externalLeaseReaper,
        this.#actions.ticker,
        this.#sealer,
        ...options.tickers,
        new Retention(ticking, [this.idempotencyKeys, loginThrottle, dailyUsage, deliveryRetention]),
      ],
    });
  }

  /** The records of one resource, by its name. @throws Error when there is no such resource. */
  records<R extends AnyRow = AnyRow>(resource: Resource<R> | string): Records<R> {
    const name = typeof resource === 'string' ? resource : resource.name;
    return new Records(findResource(name, this.resources) as Resource<R>, this.#recordsContext);
  }

  /** Returns why a variable can be neither declared nor set, as the end of a sentence; null = it can. */
  variableRefusal(name: string): string | null {
    return variableRefusal(this.#recordsContext.service.executors, name);
  }

  /**
   * Returns the records and jobs of this core inside a transaction of the embedding program, so that what both write is
   * committed or rolled back together: `core.with(store.within(em)).jobs.schedule(…)`.
   * @param store takes part in that transaction; a store of MikroORM returns it by `within`.
   */
  with(store: Store): JoinedCore {
    const records = { ...this.#recordsContext, store: this.store.over(this.#over(store)) };
    return new JoinedCore({ ...this.#jobsOptions, records });
  }

  /**
   * Checks that the vault has every key that the store needs, and registers the vault's newest key.
   * @throws HorariumError `unavailable` when a key is missing, with how many records need it.
   */
  checkKeys(): Promise<void> {
    return this.#keyManager.check();
  }

  /**
   * Begins to schedule and to run jobs.
   * @throws HorariumError `unavailable` when a key that is needed is missing, `conflict` when it was started or stopped.
   */
  async start(): Promise<void> {
    await this.checkKeys();
    // Nothing is decided before the clock is known to be right.
    await this.#clockWatch.tick();
    if (this.#isStarted || this.#stopped)
      throw conflict(`The core was ${this.#stopped ? 'stopped: create another one' : 'started already'}.`);
    this.#isStarted = true;
    this.#loop.start();
    this.#hints = this.#options.store.hints?.open(() => this.#lookForWork());
  }

  /**
   * Takes no further jobs, gives running ones that long to finish, then stops them and records them as lost. The store
   * stays open. Only the first call counts; in a core that was never started there is nothing to stop.
   * @param grace @default 10 s
   */
  stop(grace: Milliseconds = 10 * second): Promise<void> {
    this.#stopped ??= this.#stop(grace);
    return this.#stopped;
  }

  /** Stops as `stop` does: `await using core = new Core({ … })`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(grace: Milliseconds): Promise<void> {
    this.#stopRequested.abort('stopped');
    if (!this.#isStarted) return;
    try {
      if (this.#options.capacity > 0) await this.#runner.drain(grace);
      await this.#actions.ticker.drain();
    } finally {
      await this.#hints?.close();
      await this.#loop.stop();
      await this.#events.stop();
    }
    // What the last moments wrote would otherwise stay open until the next start.
    await this.#sealer.finish(this.clock);
  }

  /** An actor of the embedding program, which may do everything; the audit log records the name. */
  actor(name: string): Actor {
    return trustedActor(name, 'embedded');
  }

  /** Ids of the jobs that this process runs. */
  get running(): readonly number[] {
    return this.#runner.worker.running;
  }

  /**
   * Rows as channels show them, with all computed fields; single items may show more than those of a list. Reads in
   * the given transaction, or in one of its own.
   */
  serialize(resource: AnyResource, rows: readonly { readonly id: number }[], detail: Detail, tables?: Tables) {
    const own = findResource(resource.name, this.resources);
    return serialize((work) => (tables ? work(tables) : this.store.read(work)), own, rows, detail);
  }

  /** A file that a job left behind; its content is read in pieces. @throws HorariumError `not_found`. */
  artifact(actor: Actor, id: number): Promise<StoredArtifact> {
    return readArtifact(this.store, actor, id);
  }

  /** The windows that a template would owe. @throws HorariumError `not_found`. */
  async preview(actor: Actor, templateId: number, range: PreviewRange): Promise<PlannedWindow[]> {
    return preview(await this.records(RunTemplate).get(actor, templateId), range);
  }

  /** Tasks that the actor may see, counted by state for each template and day of the service's time zone. */
  taskSummary(actor: Actor, query: SummaryQuery): Promise<DaySummary[]> {
    const timezone = this.timezone;
    return this.store.read((tables) => summarizeTasks(tables, visibleTo(actor, Task), { ...query, timezone }));
  }

  /** Whether it should be given work: its store and clock are right, no background work fails, and it is not to stop. */
  async readiness(): Promise<Readiness> {
    return this.#stopRequested.signal.aborted ? stopping : this.#status.readiness(this.#loop);
  }

  /** How the service is, as the actor may know it. */
  status(actor: Actor): Promise<Readonly<Record<string, unknown>>> {
    return this.#status.for(actor);
  }

  /** Figures of the whole service, for monitoring. */
  figures(options?: FigureOptions): Promise<ServiceFigures> {
    return this.#status.figures(options);
  }

  /**
   * Encrypts every secret with the vault's newest key while the service runs.
   * @throws HorariumError `denied`, or `conflict` as `rotateVault`.
   */
  async rotateVault(actor: Actor, onProgress?: (progress: RotationProgress) => void): Promise<Rotation> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not rotate the vault: that takes the role admin.`);
    return this.#keyManager.rotate(onProgress);
  }

  /** Reads the whole audit log and names the first entry that is not as it was written. */
  async verifyAudit(options?: VerifyOptions): Promise<Verification> {
    return verifyAudit(this.#over(this.#options.store), await this.#keyManager.auditKey(), options);
  }

  /** What the active templates that the actor may see would run, without running anything. */
  async *simulate(actor: Actor, from: Instant, to: Instant): AsyncGenerator<PlannedRun, void> {
    const templates = await this.store.read((tables) => templatesToRun(tables, visibleTo(actor, RunTemplate)));
    yield* simulate(templates, from, to);
  }

  /** What every transaction of the service has: its time, and the cache. */
  #over(store: Store): Store {
    return this.#cache.over(this.#clockWatch.time.over(store));
  }

  /** Jobs may start now, and running ones may have been asked to stop. */
  #jobsChanged(mayStop: boolean): void {
    this.#hints?.send();
    this.#runner.expectJobs();
    if (mayStop) this.#lookForStops();
    this.#loop.wake(this.#runner);
  }

  /** Another host may have written jobs, requests to stop some, or events. */
  #lookForWork(): void {
    this.#loop.wake(this.#events.processor);
    this.#runner.lookForJobs();
    this.#lookForStops();
    this.#loop.wake(this.#runner);
  }

  #lookForStops(): void {
    this.#runner.lookForStops();
    this.#loop.wake(this.#externalLeaseReaper);
  }
}
