import {
  App,
  Artifact,
  Company,
  Job,
  RunTemplate,
  type RunTemplateRow,
  type Store,
  type Tables,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { NodeDigests } from '@horarium/core/node';
import { AuditedStore } from '#core/audit/audited-store';
import { ExternalJobs, type ExternalJobsOptions } from '#core/external/external-jobs';
import { ExternalLease } from '#core/external/external-lease';
import { ExternalLeaseReaper } from '#core/external/external-lease-reaper';
import { Heartbeats } from '#core/external/heartbeats';
import { readContent } from '#core/job/artifact';
import { readOutput } from '#core/job/job-output';
import { Jobs } from '#core/job/jobs';
import type { DailyLimits } from '#core/quota/daily-usage';
import { productObservers } from '#core/resources';
import { onTemplateChange } from '#core/scheduler/schedule-reactions';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { externalExecutors } from '../executors/external-executors.ts';
import { bytesOf } from '../http/bytes-of.ts';
import { testSigner } from '../secrets/test-hmac.ts';
import { testPreparation } from '../simulation/world/preparation.ts';
import { withAuditTripwire } from '../store/audit-tripwire.ts';
import { recordServices, recordsContext } from './record-world.ts';

/** The limits of the output and artifacts of one job. */
const limits = { max_output: 20, max_file_size: 300, max_total_file_size: 700, max_files: 3 };

/** One host whose reaper ticks only when the test lets it. */
class ExternalHost {
  readonly store: AuditedStore;
  readonly jobs: Jobs;
  readonly external: ExternalJobs;
  readonly reaper: ExternalLeaseReaper;
  readonly heartbeats: Heartbeats;
  readonly #options: ExternalJobsOptions;

  constructor(store: Store) {
    this.store = new AuditedStore(withAuditTripwire(store), testSigner, { observers: productObservers() });
    const executors = new Map(externalExecutors(limits));
    const names = [...executors.keys()];
    const parts = { ...testPreparation(), digests: new NodeDigests(), store: this.store };
    const records = recordsContext(this.store);
    const service = { ...records.service, executors: parts.executorSchemas };
    this.jobs = new Jobs({ records: { ...records, service }, vault: parts.vault });
    this.#options = { ...parts, executors };
    this.external = new ExternalJobs(this.#options);
    this.reaper = new ExternalLeaseReaper({ store: this.store, executors: names });
    this.heartbeats = new Heartbeats(parts);
  }

  /** The same use cases with limits of what a company may store in a day. */
  externalWithin(dailyLimits: DailyLimits): ExternalJobs {
    return new ExternalJobs({ ...this.#options, dailyLimits });
  }
}

/** The stores that the contract of external attempts is run against. */
export interface ExternalFixture {
  /** The connection of each host to the same empty store; hosts may share one. */
  readonly stores: readonly Store[];
  close(): Promise<void>;
}

/** Several hosts on one store, with an App whose jobs run on external workers. */
export class ExternalWorld {
  readonly actor = trustedActor('anna', 'http');
  readonly hosts: readonly ExternalHost[];
  /** The first host, for tests that need only one. */
  readonly host: ExternalHost;
  /** The heartbeat key of each claimed job, by its id. */
  readonly heartbeatKeys = new Map<number, string>();
  owner!: { readonly app_id: number; readonly company_id: number };
  readonly #fixture: ExternalFixture;

  constructor(fixture: ExternalFixture) {
    this.#fixture = fixture;
    this.hosts = fixture.stores.map((store) => new ExternalHost(store));
    this.host = this.hosts[0] as ExternalHost;
  }

  async seed(): Promise<this> {
    this.owner = await this.host.store.transaction(this.actor, async (tables) => {
      const uuid = '00000000-0000-4000-8000-000000000001';
      const [app_id] = await tables.of(App).insert([newRow(App, { name: 'work', executable: 'work', uuid })]);
      const [company_id] = await tables.of(Company).insert([newRow(Company, { code: 'acme', name: 'Acme' })]);
      return { app_id: app_id as number, company_id: company_id as number };
    });
    return this;
  }

  close(): Promise<void> {
    return this.#fixture.close();
  }

  async addTemplate(fields: Partial<RunTemplateRow> = {}): Promise<number> {
    return this.host.store.transaction(this.actor, async (tables) => {
      const usual = { name: 'external', interval: 'none', executor: 'external', overlap: 'allow' } as const;
      const [id] = await tables.of(RunTemplate).insert([newRow(RunTemplate, { ...usual, ...this.owner, ...fields })]);
      const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', id as number]] });
      await onTemplateChange({ before: undefined, after }, tables, recordServices);
      return id as number;
    });
  }

  /** Adds a further company and returns its id. */
  addCompany(code: string): Promise<number> {
    return this.host.store.transaction(this.actor, (tables) =>
      insertOne(tables.of(Company), newRow(Company, { code, name: code })),
    );
  }

  /** Adds a Task whose window is open, with an hour left to its deadline. */
  addTask(runtemplate_id: number, fields: Partial<TaskRow> = {}): Promise<number> {
    return this.host.store.transaction(this.actor, async (tables) => {
      const now = await tables.now();
      const { company_id } = this.owner;
      const times = {
        window_start: now - 1000,
        window_end: now + 3_600_000,
        deadline: now + 3_600_000,
        start_deadline: now + 60_000,
      };
      const [id] = await tables.of(Task).insert([newRow(Task, { runtemplate_id, company_id, ...times, ...fields })]);
      return id as number;
    });
  }

  async scheduleJob(fields: Partial<RunTemplateRow> = {}): Promise<number> {
    return (await this.host.jobs.schedule(this.actor, { runtemplate_id: await this.addTemplate(fields) })).id;
  }

  async claimJob(fields: Partial<RunTemplateRow> = {}): Promise<number> {
    const { job, pingUrl } = await this.host.external.claim(this.actor, await this.scheduleJob(fields));
    this.heartbeatKeys.set(job.id, pingUrl);
    return job.id;
  }

  async readJob(id: number) {
    const [job] = await this.host.store.read((tables) => tables.of(Job).find({ where: [['id', '=', id]] }));
    if (!job) throw new Error(`There is no job ${id}.`);
    return job;
  }

  async outputOf(id: number) {
    const job = await this.readJob(id);
    return this.host.store.read((tables) => readOutput(tables, job, {}));
  }

  async filesOf(id: number) {
    const { store } = this.host;
    const find = (tables: Tables) => tables.of(Artifact).find({ where: [['job_id', '=', id]], order: [['id', 'asc']] });
    const rows = await store.read(find);
    return Promise.all(rows.map(async (row) => ({ row, content: await bytesOf(readContent(store, row)) })));
  }

  async leaseOf(id: number) {
    const where = [['job_id', '=', id]] as const;
    return (await this.host.store.read((tables) => tables.of(ExternalLease).find({ where })))[0];
  }

  /** Expires the lease of a job. */
  expireLease(id: number) {
    return this.host.store.transaction(this.actor, async (tables) => {
      const now = await tables.now();
      await tables.of(ExternalLease).updateWhere([['job_id', '=', id]], { ends_at: now - 1 });
    });
  }

  /** Does the same four times on every host, all concurrently. */
  onEveryHost<T>(work: (host: ExternalHost) => Promise<T>): Promise<T>[] {
    return [0, 1, 2, 3].flatMap(() => this.hosts.map(work));
  }
}

/** Waits for all promises. @returns `done` or the error code of each. */
export async function outcomes(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason.code ?? result.reason)));
}
