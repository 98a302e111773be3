import { AgentAttempts } from './agent/agent-attempts.ts';
import type { AuditArchiving } from './audit/archive/audit-archiving.ts';
import type { AuditedStore } from './audit/audited-store.ts';
import { RecordChanges } from './audit/feed/record-changes.ts';
import type { Verification, VerifyOptions } from './audit/verify.ts';
import { Background, retentionOptions, signalsOf, wakingResources } from './background.ts';
import { Backups } from './backup/backups.ts';
import { ClockConfirmation } from './clock/clock-confirmation.ts';
import { Configuration } from './configuration/configuration.ts';
import { type CoreOptions, completeCoreOptions, recordServicesOf } from './core-options.ts';
import { type CoreStores, coreStores } from './core-stores.ts';
import { DeliveryRecords } from './delivery/delivery-records.ts';
import { TestNotices } from './delivery/test-notices.ts';
import { denied } from './errors.ts';
import { EventSources } from './event/event-sources.ts';
import { Events } from './event/events.ts';
import { ReceivedChanges } from './event/received-changes.ts';
import { executorsByName, splitExecutors } from './executor/executor.ts';
import { FunctionExecutor } from './executor/function-executor.ts';
import { ExternalJobs } from './external/external-jobs.ts';
import { Heartbeats } from './external/heartbeats.ts';
import { Forms } from './forms/forms.ts';
import { WithFunctions } from './function-records.ts';
import { readArtifact, type StoredArtifact } from './job/artifact.ts';
import { Jobs, type JobsOptions } from './job/jobs.ts';
import { JoinedCore } from './joined-core.ts';
import type { Clock, Instant, Milliseconds } from './loop/clock.ts';
import { EventLoopWatch } from './loop/event-loop-watch.ts';
import { IdempotencyKeys } from './records/idempotency.ts';
import type { RecordsContext } from './records/records.ts';
import { type UndoneChange, undoIn } from './records/undo/undo.ts';
import { Refusals } from './refusals.ts';
import { visibleTo } from './resource/access.ts';
import { type Actor, type RequestOrigin, trustedActor } from './resource/actor.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { isAdmin } from './resource/permissions.ts';
import type { RecordServices } from './resource/record-services.ts';
import { type Detail, serialize } from './resource/serialize.ts';
import { findResource, tablesOf } from './resources.ts';
import { Pruning } from './retention/pruning.ts';
import { type Backfill, type BackfillRange, backfill } from './scheduler/backfill.ts';
import { type PlannedRun, simulateStored } from './scheduler/simulate.ts';
import { type WaiverFields, waiveTasksByPerson } from './scheduler/waive-tasks.ts';
import { type SearchRequest, type SearchResult, search } from './search/search.ts';
import type { KeyCheckOptions, KeyManager } from './secret/key-manager.ts';
import type { Rotation, RotationProgress } from './secret/rotate-vault.ts';
import { type FigureOptions, type Readiness, type ServiceFigures, ServiceStatus, stopping } from './service-status.ts';
import type { Store, Tables } from './store/store.ts';
import { type SummaryContext, summarize } from './summary/summarize.ts';
import type { Summary, SummaryRequest } from './summary/summary.ts';
import { Task, type TaskRow } from './task/task.ts';
import { type DaySummary, summarizeTasks, type TaskSummaryQuery } from './task/task-summary.ts';
import { Tasks } from './task/tasks.ts';
import {
  type PlannedWindow,
  type PreviewRange,
  preview,
  previewClockChanges,
  storedSchedule,
} from './template/preview.ts';
import { RunTemplate } from './template/run-template.ts';
import { second } from './time/duration.ts';
import type { Outlook, OutlookRequest } from './timeline/outlook.ts';
import { readOutlook } from './timeline/read-outlook.ts';
import { readTimeline } from './timeline/read-timeline.ts';
import type { Timeline, TimelineRequest } from './timeline/timeline.ts';
import { BoundedHasher } from './user/bounded-hasher.ts';
import { LoginThrottle } from './user/login-throttle.ts';
import { PasswordChange } from './user/password-change.ts';
import { Roles } from './user/roles.ts';
import { SignIn } from './user/sign-in.ts';
import { Tokens } from './user/tokens.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import { explain, explainVisible } from './why/explain.ts';
import type { Explanation, ExplanationRequest } from './why/explanation.ts';

/** The whole service without any channel: records and use cases for callers, and the work in the background. */
export class Core extends WithFunctions implements AsyncDisposable {
  readonly version: string;
  readonly clock: Clock;
  readonly timezone: string;
  readonly store: AuditedStore;
  /** Every kind of record, with what later layers contribute to it. */
  readonly resources: readonly AnyResource[];
  /** What those who write a channel of their own need besides. */
  readonly forChannels: ForChannels;
  readonly signIn: SignIn;
  readonly tokens: Tokens;
  readonly passwordChange: PasswordChange;
  readonly roles: Roles;
  override readonly jobs: Jobs;
  override readonly tasks: Tasks;
  readonly changes: RecordChanges;
  readonly externalJobs: ExternalJobs;
  readonly agents: AgentAttempts;
  readonly heartbeats: Heartbeats;
  override readonly events: Events;
  override readonly eventSources: EventSources;
  override readonly deliveries: DeliveryRecords;
  readonly testNotices: TestNotices;
  readonly clockConfirmation: ClockConfirmation;
  readonly pruning: Pruning;
  readonly auditArchiving: AuditArchiving;
  readonly backups: Backups;
  readonly configuration: Configuration;
  protected readonly functions: FunctionExecutor | undefined;
  protected readonly recordsContext: RecordsContext;
  readonly refusals: Refusals;
  readonly forms: Forms;
  readonly #stores: CoreStores;
  readonly #jobsOptions: JobsOptions;
  readonly #summary: SummaryContext & Pick<RecordServices, 'executors'>;
  readonly #status: ServiceStatus;
  readonly #background: Background;

  /** @throws HorariumError `invalid` naming what is missing or invalid. */
  constructor(given: CoreOptions) {
    super();
    const options = completeCoreOptions(given);
    const { version, clock, timezone, calendarRules, digests, vault, events, eventSourceKinds: kinds } = options;
    const signals = signalsOf(() => this.#background);
    this.version = version;
    this.clock = clock;
    this.timezone = timezone;
    const eventLoop = new EventLoopWatch(clock, (block) => events.eventLoopBlocked(block));
    this.resources = wakingResources(options.resources, signals);
    const stores = coreStores(options, this.resources, signals);
    const { requests: store, requestStore, signer, quota, keyManager } = stores;
    this.#stores = stores;
    this.store = store;
    this.clockConfirmation = new ClockConfirmation(store, events.clockChanged);
    const all = executorsByName(options.executors);
    const executors = splitExecutors(all);
    const passwordHasher = new BoundedHasher(options.passwordHasher);
    const service = recordServicesOf(options, all, passwordHasher);
    this.refusals = new Refusals(service);
    const find = (name: string) => findResource(name, this.resources);
    const records = { store, findResource: find, service, tables: tablesOf(this.resources) };
    this.recordsContext = records;
    this.forms = new Forms(records, this.resources);
    const { onJobs } = signals;
    this.#jobsOptions = { records, vault, maxQueued: options.maxQueued, onJobs };
    const idempotencyKeys = new IdempotencyKeys({ findResource: find, signer, quota });
    // Users.
    const throttle = new LoginThrottle(store, digests);
    this.forChannels = new ForChannels({ records, eventLoop, idempotencyKeys, keyManager, throttle });
    this.signIn = new SignIn({ store, clock, digests, passwordHasher, loginThrottle: throttle, events });
    this.tokens = new Tokens({ store, digests, loginTtl: options.loginTtl });
    this.passwordChange = new PasswordChange({ store, users: this.records(User), passwordHasher, signIn: this.signIn });
    this.roles = new Roles({ store, records: this.records(UserRoles) });
    // The background.
    const timed = eventLoop.sync;
    const preparation = { vault, digests, executorSchemas: all, pingUrl: options.pingUrl, timed, dailyLimits: options };
    const parts = { stores, records, watch: eventLoop, executors, preparation, idempotencyKeys, throttle };
    this.#background = new Background(options, parts);
    // Tasks and jobs: those that a worker of this process runs, and those that are done elsewhere.
    this.pruning = new Pruning(retentionOptions(options, stores));
    this.auditArchiving = this.#background.auditArchiving;
    this.backups = new Backups({ ...options, tables: records.tables, audited: stores.joined });
    this.configuration = new Configuration(records, this.resources);
    this.#summary = { timezone, calendarRules, executors: all, external: new Set(executors.external.keys()) };
    const watched = { store: requestStore, resources: this.resources, summary: this.#summary };
    this.#status = new ServiceStatus({ version, clock, ...watched, hasAgents: executors.agents.size > 0 });
    this.functions = options.executors.find((executor) => executor instanceof FunctionExecutor);
    this.jobs = new Jobs(this.#jobsOptions);
    const { changeFeed, worker } = this.#background;
    this.tasks = new Tasks({ ...records, changeFeed });
    this.changes = new RecordChanges({ feed: changeFeed, clock, resources: this.resources });
    this.externalJobs = new ExternalJobs({ ...preparation, store, executors: executors.external, onJobs });
    this.agents = new AgentAttempts({ ...preparation, store, executors: executors.agents, worker, onJobs });
    this.heartbeats = new Heartbeats({ ...preparation, store });
    // Events and what follows them.
    const received = new ReceivedChanges({ store, vault, kinds, onEvents: signals.onEvents, throttle });
    this.events = new Events({ records, onEvents: signals.onEvents });
    this.eventSources = new EventSources({ records, clock, vault, kinds }, received);
    this.deliveries = new DeliveryRecords({ records, onDeliveries: signals.onDeliveries });
    this.testNotices = new TestNotices({ ...options, store });
  }

  /**
   * Returns the records and jobs of this core inside a transaction of the embedding program, so that what both write is
   * committed or rolled back together: `core.with(store.within(em)).jobs.schedule(…)`.
   * @param store takes part in that transaction; a store of MikroORM returns it by `within`.
   */
  with(store: Store): JoinedCore {
    const records = { ...this.recordsContext, store: this.#stores.joined(store) };
    return new JoinedCore({ ...this.#jobsOptions, records });
  }

  /**
   * Begins to schedule and to run jobs.
   * @throws HorariumError `unavailable` when a key that is needed is missing, `conflict` when it was started or stopped.
   */
  start(): Promise<void> {
    return this.#background.start();
  }

  /**
   * Takes no further jobs, gives running ones that long to finish, then stops them and records them as lost. The store
   * stays open. Only the first call counts; in a core that was never started there is nothing to stop.
   * @param grace @default 10 s
   */
  stop(grace: Milliseconds = 10 * second): Promise<void> {
    return this.#background.stop(grace);
  }

  /** Stops as `stop` does: `await using core = new Core({ … })`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** An actor of the embedding program, which may do everything; the audit log records the name. */
  actor(name: string): Actor {
    return trustedActor(name, 'embedded');
  }

  protected get isStopped(): boolean {
    return this.#background.stopping.aborted;
  }

  /** Calls back when jobs may have become due, or are to stop. @returns a function that ends it. */
  onJobs(listener: () => void): () => void {
    return this.#background.listen(listener);
  }

  /** Ids of the jobs that this process runs. */
  get running(): readonly number[] {
    return this.#background.running;
  }

  /** A file that a job left behind; its content is read in pieces. @throws HorariumError `not_found`. */
  artifact(actor: Actor, id: number): Promise<StoredArtifact> {
    return readArtifact(this.store, actor, id);
  }

  /** The windows that a template would owe. @throws HorariumError `not_found`. */
  async preview(actor: Actor, templateId: number, range: PreviewRange): Promise<PlannedWindow[]> {
    return preview(await storedSchedule(this.recordsContext, actor, templateId), range);
  }

  /** The windows about the clock changes of the year that follows an instant; notes have times of the zone. @throws HorariumError `not_found`. */
  async previewClockChanges(actor: Actor, id: number, from: Instant, timezone?: string): Promise<PlannedWindow[]> {
    return previewClockChanges(await storedSchedule(this.recordsContext, actor, id), from, timezone);
  }

  /** Whether everything is on time in the companies that the actor may see, what is not, and what runs next. @throws HorariumError as `summarize`. */
  summary(actor: Actor, request: SummaryRequest = {}): Promise<Summary> {
    return this.store.read((tables) => summarize(tables, actor, request, this.#summary));
  }

  /** When what ran and what comes, of the templates that the actor may see. @throws HorariumError as `readTimeline`. */
  timeline(actor: Actor, request: TimelineRequest = {}): Promise<Timeline> {
    return this.store.read((tables) => readTimeline(tables, actor, request, this.#summary));
  }

  /** The records of every kind that the actor may see and that have some words, or an id. @throws HorariumError as `search`. */
  search(actor: Actor, request: SearchRequest): Promise<SearchResult> {
    return this.store.read((tables) => search(tables, actor, request, this.resources));
  }

  /** How the last day went and what comes, in the companies that the actor may see. @throws HorariumError as `readOutlook`. */
  outlook(actor: Actor, request: OutlookRequest = {}): Promise<Outlook> {
    return this.store.read((tables) => readOutlook(tables, actor, request, this.#summary));
  }

  /** Why a template, a Task or a job runs or not, and what has changed between its last success and a failure. @throws HorariumError `not_found`. */
  why(actor: Actor, request: ExplanationRequest): Promise<Explanation> {
    return this.store.read((tables) => explain(tables, actor, request, this.#summary));
  }

  /** The same for several of them, in their order. Those that the actor may not see are left out. */
  whyEach(actor: Actor, requests: readonly ExplanationRequest[]): Promise<Explanation[]> {
    return this.store.read((tables) => explainVisible(tables, actor, requests, this.#summary));
  }

  /** Undoes the change of a record that an entry of the audit log holds. @throws HorariumError as `undoIn`. */
  undo(actor: Actor, entryId: number): Promise<UndoneChange> {
    return this.store.transaction(actor, (tables) => this.undoIn(tables, actor, entryId));
  }

  /** Undoes like `undo`, in the caller's transaction. */
  undoIn(tables: Tables, actor: Actor, entryId: number): Promise<UndoneChange> {
    return undoIn(this.recordsContext, tables, actor, entryId);
  }

  /** Waives Tasks that have not ended, all or none. @throws HorariumError as `waiveTasksByPerson`. */
  waiveTasks(actor: Actor, ids: readonly number[], fields: WaiverFields): Promise<TaskRow[]> {
    return this.store.transaction(actor, (tables) => this.waiveTasksIn(tables, actor, ids, fields));
  }

  /** Waives like `waiveTasks`, in the caller's transaction. */
  async waiveTasksIn(tables: Tables, actor: Actor, ids: readonly number[], fields: WaiverFields): Promise<TaskRow[]> {
    tables.afterCommit(() => this.#jobsOptions.onJobs?.());
    return waiveTasksByPerson(tables, actor, ids, { ...fields });
  }

  /** Creates the Tasks of windows that have passed and were not owed. @throws HorariumError as `backfill`. */
  backfill(actor: Actor, templateId: number, range: BackfillRange): Promise<Backfill> {
    return this.store.transaction(actor, (tables) => this.backfillIn(tables, actor, templateId, range));
  }

  /** Backfills like `backfill`, in the caller's transaction. */
  async backfillIn(tables: Tables, actor: Actor, templateId: number, range: BackfillRange): Promise<Backfill> {
    tables.afterCommit(() => this.#jobsOptions.onJobs?.(false));
    const { maxQueued } = this.#jobsOptions;
    return backfill(tables, actor, templateId, { ...range, maxQueued, calendarRules: this.#summary.calendarRules });
  }

  /** Tasks that the actor may see, counted by state for each template and day of the service's time zone. */
  taskSummary(actor: Actor, query: TaskSummaryQuery): Promise<DaySummary[]> {
    const timezone = this.timezone;
    return this.store.read((tables) => summarizeTasks(tables, visibleTo(actor, Task), { ...query, timezone }));
  }

  /** Whether it should be given work: its store and clock are right, no background work fails, and it is not to stop. */
  async readiness(): Promise<Readiness> {
    const { stopping: stop, loop } = this.#background;
    return stop.aborted ? stopping : this.#status.readiness(loop);
  }

  /** How the service is, as the actor may know it. */
  status(actor: Actor): Promise<Readonly<Record<string, unknown>>> {
    return this.#status.of(actor);
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
    return this.#stores.keyManager.rotate(onProgress);
  }

  /** Reads the whole audit log and names the first entry that is not as it was written. */
  verifyAudit(options?: VerifyOptions): Promise<Verification> {
    return this.auditArchiving.verify(options);
  }

  /** What the active templates that the actor may see would run, without running anything; what a pause holds names it. */
  simulate(actor: Actor, from: Instant, to: Instant): AsyncGenerator<PlannedRun, void> {
    const where = visibleTo(actor, RunTemplate);
    return simulateStored(this.store, where, { from, to, calendarRules: this.#summary.calendarRules });
  }
}

interface ChannelParts {
  readonly records: RecordsContext;
  readonly eventLoop: EventLoopWatch;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keyManager: KeyManager;
  readonly throttle: LoginThrottle;
}

/** What channels need of a core beside its records and use cases, to read requests and to show rows. */
class ForChannels {
  /** Knows what blocks the event loop of this process, once the core is started. */
  readonly eventLoop: EventLoopWatch;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly #parts: ChannelParts;

  constructor(parts: ChannelParts) {
    this.eventLoop = parts.eventLoop;
    this.idempotencyKeys = parts.idempotencyKeys;
    this.#parts = parts;
  }

  /**
   * Checks that the vault has every key that the store needs, and registers the vault's newest key unless it is `readOnly`.
   * @throws HorariumError `unavailable` when a key is missing, with how many records need it.
   */
  checkKeys(options?: KeyCheckOptions): Promise<void> {
    return this.#parts.keyManager.check(options);
  }

  /**
   * Rows as channels show them, with all computed fields; single items may show more than those of a list. Reads in
   * the given transaction, or in one of its own.
   */
  serialize(resource: AnyResource, rows: readonly { readonly id: number }[], detail: Detail, tables?: Tables) {
    const { store, findResource } = this.#parts.records;
    const own = findResource(resource.name);
    return serialize((work) => (tables ? work(tables) : store.read(work)), own, rows, detail);
  }

  /**
   * Counts a request with an unknown secret as a failed login, for routes that authenticate by themselves.
   * @param secret with the kind of it before: `ping 6f1c2a0e-…`.
   * @throws TooManyRequests after too many from one network.
   */
  async countUnknownSecret({ network }: RequestOrigin, secret: string): Promise<void> {
    await this.#parts.throttle.begin(secret, network ?? '');
  }
}
