import { App } from './app/app.ts';
import { WorkerReaper } from './attempt/worker-reaper.ts';
import { AuditedStore } from './audit/audited-store.ts';
import type { Head } from './audit/chain.ts';
import { headOf, Sealer } from './audit/sealer.ts';
import { verifyAudit } from './audit/verify.ts';
import { Company } from './company/company.ts';
import type { CoreOptions } from './core-options.ts';
import { EventSources } from './event/event-sources.ts';
import { splitExecutors } from './executor/executor.ts';
import { ExternalJobs } from './external/external-jobs.ts';
import { ExternalLeaseReaper } from './external/external-lease-reaper.ts';
import { Heartbeats } from './external/heartbeats.ts';
import { Jobs } from './job/jobs.ts';
import type { Clock, Instant, Milliseconds } from './loop/clock.ts';
import type { Ticker } from './loop/loop.ts';
import { Loop } from './loop/loop.ts';
import { IdempotencyKeys } from './records/idempotency.ts';
import { Records } from './records/records.ts';
import { Reports } from './reports.ts';
import { visibleTo } from './resource/access.ts';
import type { Actor } from './resource/actor.ts';
import { contribute, react } from './resource/contribute.ts';
import type { AnyResource, Resource } from './resource/define-resource.ts';
import { isAdmin } from './resource/permissions.ts';
import { type Detail, serialize } from './resource/serialize.ts';
import { allResources, findResource, rotationRules, tablesOf } from './resources.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { type PlannedRun, simulate } from './scheduler/simulate.ts';
import { KeyManager } from './secret/key-manager.ts';

import { isResponsive, statusOf } from './status.ts';
import type { Tables } from './store/store.ts';
import type { AnyRow, TableDescription } from './store/table.ts';
import { disabledReason } from './template/disabled-reason.ts';
import { RunTemplate } from './template/run-template.ts';
import { BoundedHasher } from './user/bounded-hasher.ts';
import { LoginThrottle } from './user/login-throttle.ts';
import { PasswordChange } from './user/password-change.ts';
import { Roles } from './user/roles.ts';
import { SignIn } from './user/sign-in.ts';
import { Tokens } from './user/tokens.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import { type ServiceFigures, ServiceMetrics } from './vitals.ts';
import { leaseTimes } from './worker/lease-epoch.ts';
import { Retention } from './worker/retention.ts';
import { Runner } from './worker/runner.ts';
import { Worker } from './worker/worker.ts';

/** How long background work waits at most before it looks for what other hosts did. */
const poll: Milliseconds = 1000;

/** The whole service without any channel: records and verbs for whoever calls, and the work that goes on by itself. */
export class Core {
  readonly version: string;
  readonly clock: Clock;
  readonly timezone: string;
  /** Every kind of record, with what is contributed to it. */
  readonly resources: readonly AnyResource[];
  readonly store: AuditedStore;
  readonly jobs: Jobs;
  readonly externalJobs: ExternalJobs;
  readonly heartbeats: Heartbeats;
  readonly repeats: IdempotencyKeys;
  readonly signIn: SignIn;
  readonly loginThrottle: LoginThrottle;
  readonly tokens: Tokens;
  readonly passwordChange: PasswordChange;
  readonly roles: Roles;
  readonly reports: Reports;
  readonly eventSources: EventSources;
  readonly vault: KeyManager<Actor>;
  readonly #options: CoreOptions;
  readonly #records: ReadonlyMap<string, Records>;
  readonly #runner: Runner;
  readonly #sealer: Sealer;
  readonly #loop: Loop;
  readonly #startedAt: Milliseconds;
  readonly #vitals: ServiceMetrics;
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
    this.resources = this.#withWakes(options.resources ?? allResources);
    this.#records = this.#recordsOf(options);
    this.loginThrottle = new LoginThrottle(store, digests);
    const hasher = new BoundedHasher(passwords);
    this.signIn = new SignIn({
      store,
      clock,
      digests,
      passwords: hasher,
      loginThrottle: this.loginThrottle,
      events: options.events,
    });
    this.tokens = new Tokens({ store, digests, loginTtl: options.loginTtl });
    const users = this.records(User);
    this.passwordChange = new PasswordChange({ store, users, passwords: hasher, signIn: this.signIn });
    this.roles = new Roles({ store, records: this.records(UserRoles) });
    const keeper = new KeyManager({ store: options.store, vault, ...rotationRules(this.resources) });
    this.vault = keeper;
    const signer = (tables: Tables) => keeper.auditKeyIn(tables);
    this.repeats = new IdempotencyKeys({ find: (name) => findResource(name, this.resources), signer });
    this.#vitals = new ServiceMetrics(store, clock);
    this.reports = new Reports(store, timezone);
    this.eventSources = this.#makeEventSources();
    const { startedHere, external } = splitExecutors(options.executors);
    const worker = new Worker({
      ...options.worker,
      store,
      clock,
      vault,
      digests,
      executors: startedHere,
      times: leaseTimes(options.lease),
      wake: () => this.#loop.wake('runner'),
      onLeaseLost: options.events.leaseLost,
    });
    const preparation = { vault, digests, pingUrl: options.pingUrl };
    this.#runner = new Runner({ ...preparation, store, clock, worker, poll });
    const onJobs = () => this.#jobsChanged();
    this.jobs = new Jobs({ store, vault, executors: [...options.executors.keys()], onJobs });
    this.externalJobs = new ExternalJobs({ ...preparation, store, executors: external, onJobs });
    this.heartbeats = new Heartbeats({ ...preparation, store });
    this.#sealer = new Sealer(options.store, () => keeper.auditKey());
    const tickers = this.#tickers([...external.keys()]);
    this.#loop = new Loop({ clock, tickers, onError: options.events.tickFailed });
  }

  /** The records of one resource, by its name. @throws Error when there is no such resource. */
  records<R extends AnyRow = AnyRow>(resource: Resource<R> | string): Records<R> {
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
    while ((await this.#sealer.tick()) === 0);
  }

  /** Ids of the jobs that this process runs. */
  get running(): readonly number[] {
    return this.#runner.worker.running;
  }

  /**
   * Rows as channels show them; single items may show more than those of a list. Reads in the given transaction, or in
   * one of its own.
   */
  serialize(resource: AnyResource, rows: readonly { readonly id: number }[], detail: Detail, tables?: Tables) {
    return serialize((work) => (tables ? work(tables) : this.store.read(work)), resource, rows, detail);
  }

  /** Whether it should be given work: the store answers, and it was not told to stop. */
  async isReady(): Promise<boolean> {
    if (this.#stopping) return false;
    return isResponsive(this.#options.store, this.clock);
  }

  /** How the service is. Admins also see the head of the audit chain. */
  async status(actor: Actor): Promise<Readonly<Record<string, unknown>>> {
    const service = {
      version: this.version,
      database: this.#options.store.kind,
      uptime: this.clock.elapsed() - this.#startedAt,
    };
    return this.store.read(async (tables) => {
      const visible = <R extends AnyRow>(resource: TableDescription<R>) => visibleTo(actor, resource);
      const status = await statusOf(tables, { ...service, resources: this.resources }, visible);
      return isAdmin(actor) ? { ...status, audit_head: await headOf(tables) } : status;
    });
  }

  /** Figures of the whole service, for monitoring. */
  vitals(): Promise<ServiceFigures> {
    return this.#vitals.take();
  }

  /** Reads the whole audit chain and names the first entry that is not as it was written. */
  async verifyAudit(noted?: Head, onProgress?: (checked: number) => void) {
    return verifyAudit(this.#options.store, await this.vault.auditKey(), noted, onProgress);
  }

  /** What the active templates that the actor may see would run, without running anything. */
  async *simulate(actor: Actor, from: Instant, to: Instant): AsyncGenerator<PlannedRun, void> {
    const seen = visibleTo(actor, RunTemplate);
    const templates = await this.store.read(async (tables) => {
      const rows = await tables.of(RunTemplate).find({ where: [...seen, ['active', '=', true]] });
      const disabled = await Promise.all(rows.map((row) => disabledReason(tables, row)));
      return rows.filter((_row, index) => disabled[index] === null);
    });
    yield* simulate(templates, from, to);
  }

  /** Changes of them are changes of what background work should look at. */
  #withWakes(resources: readonly AnyResource[]): readonly AnyResource[] {
    const wake = async (_change: unknown, tables: Tables) => tables.afterCommit(() => this.#wakeAll());
    return contribute(
      resources,
      [RunTemplate, App, Company].map((each) => react(each as AnyResource, wake)),
    );
  }

  #recordsOf({ vault, passwords: hasher, ...options }: CoreOptions): ReadonlyMap<string, Records<AnyRow>> {
    const { timezone, executors, actions, eventSourceKinds, checkPattern } = options;
    const service = { timezone, executors, actions, eventSourceKinds, vault, hasher, checkPattern };
    const { store, resources } = this;
    const find = (name: string) => findResource(name, resources);
    const context = { store, find, service, tables: tablesOf(resources) };
    return new Map(resources.map((each) => [each.name, new Records(each, context)]));
  }

  #makeEventSources(): EventSources {
    const { vault, eventSourceKinds: kinds } = this.#options;
    return new EventSources({ store: this.store, clock: this.clock, vault, kinds });
  }

  #tickers(externalExecutors: readonly string[]): Ticker[] {
    const { clock, events } = this.#options;
    const onJobs = () => this.#loop.wake('runner');
    return [
      new Scheduler({ store: this.store, poll, onJobs, onProblem: events.templateFailed }),
      this.#runner,
      this.#runner.worker.leaseGuard,
      new WorkerReaper({ store: this.store, clock, onJobs, onWorkerLost: events.workerLost }),
      new ExternalLeaseReaper({ store: this.store, executors: externalExecutors, onJobs }),
      this.#sealer,
      new Retention(this.store, [(tables) => this.repeats.prune(tables), (tables) => this.loginThrottle.prune(tables)]),
    ];
  }

  /** Jobs may start now, or were asked to stop. */
  #jobsChanged(): void {
    this.#runner.lookForStops();
    this.#loop.wake('runner');
    this.#loop.wake('external lease reaper');
  }

  #wakeAll(): void {
    this.#loop.wake('scheduler');
    this.#loop.wake('runner');
  }
}
