import { allRecords } from './all-records.ts';
import { AuditedStore } from './audit/audited-store.ts';
import type { Head } from './audit/chain.ts';
import type { Records } from './audit/records.ts';
import { Repeats } from './audit/repeats.ts';
import { headOf, Sealer } from './audit/sealer.ts';
import { verifyAudit } from './audit/verify.ts';
import type { CoreOptions } from './core-options.ts';
import { EventSources } from './event/event-sources.ts';
import { jobWork } from './job-work.ts';
import type { Beat } from './loop/beat.ts';
import type { Clock, Instant, Milliseconds } from './loop/clock.ts';
import { Loop } from './loop/loop.ts';
import { Reports } from './reports.ts';
import { visibleTo } from './resource/access.ts';
import type { Actor } from './resource/actor.ts';
import { answersInTime } from './resource/answers-in-time.ts';
import type { AnyResource, RecordFields, Resource, TableDescription } from './resource/define-resource.ts';
import type { Tables } from './resource/store.ts';
import { allResources, allTables, findResource } from './resources.ts';
import type { ExternalJobs } from './run/external-jobs.ts';
import type { Heartbeats } from './run/heartbeats.ts';
import { Housekeeper } from './run/housekeeper.ts';
import type { Jobs } from './run/jobs.ts';
import type { Runner } from './run/runner.ts';
import { Sweeper } from './run/sweeper.ts';
import { whyDisabled } from './schedule/follow-records.ts';
import { RunTemplate } from './schedule/run-template.ts';
import { Scheduler } from './schedule/scheduler.ts';
import { type PlannedRun, simulate } from './schedule/simulate.ts';
import { show } from './show.ts';
import { statusOf } from './status.ts';
import { BoundedHasher } from './user/bounded-hasher.ts';
import { Guesses } from './user/guesses.ts';
import { OwnPassword } from './user/own-password.ts';
import { permissionGuard } from './user/permission-guard.ts';
import { isAdmin } from './user/permissions.ts';
import { Roles } from './user/roles.ts';
import { SignIn } from './user/sign-in.ts';
import { Tokens } from './user/tokens.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import { VaultKeeper } from './vault/vault-keeper.ts';
import { VitalSigns, type Vitals } from './vitals.ts';

/** How long background work waits at most before it looks for what other hosts did. */
const poll: Milliseconds = 1000;

/** The whole service without any door: records and verbs for whoever calls, and the work that goes on by itself. */
export class Core {
  readonly version: string;
  readonly clock: Clock;
  readonly timezone: string;
  readonly resources = allResources;
  readonly store: AuditedStore;
  readonly jobs: Jobs;
  readonly externalJobs: ExternalJobs;
  readonly heartbeats: Heartbeats;
  readonly repeats: Repeats;
  readonly signIn: SignIn;
  readonly guesses: Guesses;
  readonly tokens: Tokens;
  readonly ownPassword: OwnPassword;
  readonly roles: Roles;
  readonly reports: Reports;
  readonly eventSources: EventSources;
  readonly vault: VaultKeeper;
  readonly #options: CoreOptions;
  readonly #records: ReadonlyMap<string, Records<RecordFields>>;
  readonly #runner: Runner;
  readonly #sealer: Sealer;
  readonly #loop: Loop;
  readonly #startedAt: Milliseconds;
  readonly #vitals: VitalSigns;
  #stopping = false;

  constructor(options: CoreOptions) {
    const { version, clock, timezone, digests, passwords, vault } = options;
    this.#options = options;
    this.version = version;
    this.clock = clock;
    this.timezone = timezone;
    this.store = new AuditedStore(options.store);
    this.#startedAt = clock.elapsed();
    const { store } = this;
    this.#records = allRecords({ ...options, store }, () => this.#wakeAll());
    this.guesses = new Guesses(store, digests);
    const hasher = new BoundedHasher(passwords);
    this.signIn = new SignIn({
      store,
      clock,
      digests,
      passwords: hasher,
      guesses: this.guesses,
      events: options.events,
    });
    this.tokens = new Tokens({ store, digests, guard: permissionGuard, loginTtl: options.loginTtl });
    const users = this.records(User);
    this.ownPassword = new OwnPassword({ store, users, passwords: hasher, signIn: this.signIn });
    this.roles = new Roles({ store, guard: permissionGuard, records: this.records(UserRoles) });
    const keeper = new VaultKeeper(options.store, vault, allTables);
    this.vault = keeper;
    const signer = (tables: Tables) => keeper.auditKeyIn(tables);
    this.repeats = new Repeats({ store, guard: permissionGuard, find: findResource, signer });
    this.#vitals = new VitalSigns(store, clock);
    this.reports = new Reports(store, timezone);
    this.eventSources = this.#makeEventSources();
    const work = jobWork({ ...options, store, poll, wake: (beat) => this.#loop.wake(beat) });
    this.jobs = work.jobs;
    this.externalJobs = work.externalJobs;
    this.heartbeats = work.heartbeats;
    this.#runner = work.runner;
    this.#sealer = new Sealer(options.store, () => keeper.auditKey());
    const beats = [...this.#beats(), work.externalKeeper];
    this.#loop = new Loop({ clock, beats, onError: options.events.beatFailed });
  }

  /** The records of one resource, by its name. @throws Error when there is no such resource. */
  records<R extends RecordFields = RecordFields>(resource: Resource<R> | string): Records<R> {
    const name = typeof resource === 'string' ? resource : resource.name;
    const records = this.#records.get(name);
    if (!records) throw new Error(`There is no resource ${name}.`);
    return records as unknown as Records<R>;
  }

  /** Begins to schedule and to run jobs. @throws HorariumError `unavailable` when a key that is needed is missing. */
  async start(): Promise<void> {
    await this.vault.check();
    this.#loop.start();
  }

  /** Takes no further jobs, gives running ones that long to finish, then stops them and records them as lost. */
  async stop(grace: Milliseconds): Promise<void> {
    this.#stopping = true;
    try {
      if (this.#options.worker.capacity > 0) await this.#runner.drain(grace);
    } finally {
      await this.#loop.stop();
    }
    // What the last moments wrote would otherwise stay open until the next start.
    while ((await this.#sealer.beat()) === 0);
  }

  /** Ids of the jobs that this process runs. */
  get running(): readonly number[] {
    return this.#runner.running;
  }

  /**
   * Rows as doors show them; a single item may say more than those of a list. Read in a transaction that is open, or in
   * one of its own.
   */
  show(resource: AnyResource, rows: readonly { readonly id: number }[], detail: 'item' | 'list', tables?: Tables) {
    return show((work) => (tables ? work(tables) : this.store.read(work)), resource, rows, detail);
  }

  /** Whether it should be given work: the store answers, and it was not told to stop. */
  async isReady(): Promise<boolean> {
    if (this.#stopping) return false;
    return answersInTime(this.#options.store, this.clock);
  }

  /** How the service is. Admins also see the head of the audit chain. */
  async status(actor: Actor): Promise<Readonly<Record<string, unknown>>> {
    const service = {
      version: this.version,
      database: this.#options.store.kind,
      uptime: this.clock.elapsed() - this.#startedAt,
    };
    return this.store.read(async (tables) => {
      const visible = (resource: TableDescription) => visibleTo(permissionGuard, actor, resource);
      const status = await statusOf(tables, service, visible);
      return isAdmin(actor) ? { ...status, audit_head: await headOf(tables) } : status;
    });
  }

  /** Figures of the whole service, for monitoring. */
  vitals(): Promise<Vitals> {
    return this.#vitals.take();
  }

  /** Reads the whole audit chain and names the first entry that is not as it was written. */
  async verifyAudit(noted?: Head, onProgress?: (checked: number) => void) {
    return verifyAudit(this.#options.store, await this.vault.auditKey(), noted, onProgress);
  }

  /** What the active templates that the actor may see would run, without running anything. */
  async *simulate(actor: Actor, from: Instant, to: Instant): AsyncGenerator<PlannedRun, void> {
    const seen = visibleTo(permissionGuard, actor, RunTemplate);
    const templates = await this.store.read(async (tables) => {
      const rows = await tables.of(RunTemplate).find({ where: [...seen, ['active', '=', true]] });
      const disabled = await Promise.all(rows.map((row) => whyDisabled(tables, row)));
      return rows.filter((_row, index) => disabled[index] === null);
    });
    yield* simulate(templates, from, to);
  }

  #makeEventSources(): EventSources {
    const { vault, eventSourceKinds: kinds } = this.#options;
    return new EventSources({ store: this.store, clock: this.clock, guard: permissionGuard, vault, kinds });
  }

  #beats(): Beat[] {
    const { clock, events } = this.#options;
    const onJobs = () => this.#loop.wake('runner');
    return [
      new Scheduler({ store: this.store, poll, onJobs, onProblem: events.templateFailed }),
      this.#runner,
      this.#runner.guard,
      new Housekeeper({ store: this.store, clock, onJobs, onWorkerLost: events.workerLost }),
      this.#sealer,
      new Sweeper(this.store, [(tables) => this.repeats.sweep(tables), (tables) => this.guesses.sweep(tables)]),
    ];
  }

  #wakeAll(): void {
    this.#loop.wake('scheduler');
    this.#loop.wake('runner');
  }
}
