import {
  type AnyRow,
  App,
  Artifact,
  Company,
  type CompanyRow,
  type DeletedCounts,
  Delivery,
  Event,
  type EventRow,
  Job,
  type JobRow,
  RunTemplate,
  type RunTemplateRow,
  type ServiceRetentionRules,
  type Store,
  systemClock,
  type TableDescription,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { ArtifactContent } from '#core/job/artifact';
import { JobOutput } from '#core/job/job-output';
import { keepEverything } from '#core/quota/keep-rules';
import { Pruning } from '#core/retention/pruning';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { testSigner } from '../../support/secrets/test-hmac.ts';

export const day = 86_400_000;
const hour = 3_600_000;
export const timezone = 'Europe/Prague';
const actor = trustedActor('test');

/** A store with companies, templates and what their runs have left, some days ago. */
export class KeptWorld {
  readonly store: AuditedStore;
  readonly plain: Store;
  #app = 0;

  constructor(store: Store) {
    this.plain = store;
    this.store = new AuditedStore(store, testSigner);
  }

  /** The time of the store. */
  now(): Promise<number> {
    return this.store.read((tables) => tables.now());
  }

  async company(given: Partial<CompanyRow> = {}): Promise<number> {
    const code = `company-${crypto.randomUUID()}`;
    return this.#insert(Company, { code, name: code, ...given });
  }

  async template(company_id: number, given: Partial<RunTemplateRow> = {}): Promise<number> {
    this.#app ||= await this.#insert(App, { name: 'work', executable: 'work', uuid: crypto.randomUUID() });
    return this.#insert(RunTemplate, { name: 'runs', app_id: this.#app, company_id, interval: 'hourly', ...given });
  }

  /** Inserts a Task whose window began that many days ago, and ended an hour later. */
  async task(runtemplate_id: number, daysAgo: number, given: Partial<TaskRow> = {}): Promise<number> {
    const window_start = Math.floor((await this.now()) - daysAgo * day);
    const ended_at = window_start + hour;
    return this.#insert(Task, {
      runtemplate_id,
      company_id: await this.#companyOf(runtemplate_id),
      window_start,
      window_end: ended_at,
      deadline: ended_at,
      state: 'fulfilled',
      ended_at,
      ...given,
    });
  }

  /** Inserts a job that ended that many days ago. */
  async job(runtemplate_id: number, daysAgo: number, given: Partial<JobRow> = {}): Promise<number> {
    const finished_at = Math.floor((await this.now()) - daysAgo * day);
    return this.#insert(Job, {
      runtemplate_id,
      company_id: await this.#companyOf(runtemplate_id),
      app_id: this.#app,
      state: 'failed',
      scheduled_at: finished_at,
      finished_at,
      ...given,
    });
  }

  /** Adds output in that many pieces, and a file, to a job, as it ended. */
  async files(job_id: number, pieces = 1): Promise<void> {
    const { company_id, finished_at } = await this.one(Job, job_id);
    await this.store.transaction(actor, async (tables) => {
      const at = finished_at as number;
      const output = Array.from({ length: pieces }, (_, seq) =>
        newRow(JobOutput, { job_id, seq, stream: 'stdout', at, data: new Uint8Array([seq % 256]) }),
      );
      await tables.of(JobOutput).insert(output);
      const file = { job_id, company_id, filename: 'report.txt', content_type: 'text/plain', size: 2, sha256: 'x' };
      const artifact_id = await insertOne(tables.of(Artifact), newRow(Artifact, file) as never);
      await tables
        .of(ArtifactContent)
        .insert([newRow(ArtifactContent, { artifact_id, seq: 0, content: new Uint8Array([1, 2]) })]);
    });
  }

  async event(company_id: number | null, daysAgo: number, given: Partial<EventRow> = {}): Promise<number> {
    const id = await this.#insert(Event, {
      kind: 'source',
      company_id,
      state: 'done',
      key: crypto.randomUUID(),
      ...given,
    });
    await this.#age(Event, id, daysAgo);
    return id;
  }

  async delivery(company_id: number, daysAgo: number): Promise<number> {
    const id = await this.#insert(Delivery, {
      action: 'webhook',
      event: 'on_failure',
      owner: 'company',
      company_id,
      state: 'delivered',
      message_id: crypto.randomUUID(),
      created_at: await this.now(),
    });
    await this.#age(Delivery, id, daysAgo);
    return id;
  }

  /** Deletes what is kept no longer by these rules. */
  prune(rules: Partial<ServiceRetentionRules> = {}): Promise<DeletedCounts> {
    return this.pruning(rules).prune(actor);
  }

  /** Counts what `prune` would delete. */
  wouldPrune(rules: Partial<ServiceRetentionRules> = {}): Promise<DeletedCounts> {
    return this.pruning(rules).prune(actor, { dryRun: true });
  }

  pruning(rules: Partial<ServiceRetentionRules>): Pruning {
    return new Pruning({
      store: this.store,
      plainStore: this.plain,
      clock: systemClock,
      timezone,
      rules: { ...keepEverything, ...rules },
      onDeleted: () => undefined,
    });
  }

  /** The ids of the rows of a table, in their order. */
  async ids(description: TableDescription): Promise<number[]> {
    const rows = await this.store.read((tables) => tables.of<AnyRow>(description).find({ columns: ['id'] }));
    return rows.map(({ id }) => id);
  }

  async one<R extends AnyRow>(description: TableDescription<R>, id: number): Promise<R> {
    const [row] = await this.store.read((tables) => tables.of<AnyRow>(description).find({ where: [['id', '=', id]] }));
    return row as R;
  }

  /** Changes a row past the audit. */
  async set(description: TableDescription, id: number, values: object): Promise<void> {
    await this.plain.transaction((tables) => tables.of<AnyRow>(description).updateWhere([['id', '=', id]], values));
  }

  async #age(description: TableDescription, id: number, daysAgo: number): Promise<void> {
    await this.set(description, id, { created_at: Math.floor((await this.now()) - daysAgo * day) });
  }

  async #companyOf(runtemplate_id: number): Promise<number> {
    return (await this.one(RunTemplate, runtemplate_id)).company_id;
  }

  #insert(description: TableDescription, given: object): Promise<number> {
    return this.store.transaction(actor, (tables) =>
      insertOne(tables.of<AnyRow>(description), newRow(description, given as never) as never),
    );
  }
}
