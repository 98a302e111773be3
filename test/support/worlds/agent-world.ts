import { randomUUID } from 'node:crypto';
import {
  App,
  Artifact,
  Company,
  Core,
  type CoreOptions,
  type Instant,
  Job,
  RunTemplate,
  type RunTemplateInput,
  type Store,
  type Tables,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { NodeDigests, NodeVault } from '@horarium/core/node';
import {
  type AgentClaim,
  type AgentClaims,
  type AgentEvent,
  type AttemptLeaseTimes,
  type AttemptLimits,
  agentExecutor,
  type ClaimedAttempt,
  type ReportOutcome,
} from '@horarium/core/plugin';
import { AgentLease } from '#core/agent/agent-lease';
import { readContent } from '#core/job/artifact';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { ScriptedExecutor } from '../executors/scripted-executor.ts';
import { bytesOf } from '../http/bytes-of.ts';
import { QuickHasher } from '../secrets/quick-hasher.ts';
import { vaultKey } from './record-world.ts';

const limits: AttemptLimits = { maxOutput: 2000, maxFileSize: 300_000, maxTotalFileSize: 700_000, maxFiles: 3 };

/** The stores that the contract of attempts on agents is run against. */
export interface AgentFixture {
  /** The connection of each host to the same empty store; hosts may share one. */
  readonly stores: readonly Store[];
  close(): Promise<void>;
}

/** The parts of a claim that tests choose. */
type Claimed = Partial<Omit<AgentClaim, 'pools'>> & {
  readonly pools?: Readonly<Record<string, readonly number[] | null>>;
};

/** Several hosts on one store, with an App whose jobs run on agents and print a secret. Nothing ticks but what the test calls. */
export class AgentWorld {
  readonly actor = trustedActor('anna', 'http');
  readonly secret = 'hunter2-hunter2';
  readonly hosts: readonly Core[];
  readonly host: Core;
  owner!: { readonly app_id: number; readonly company_id: number };
  readonly #fixture: AgentFixture;
  #tasks = 0;

  constructor(fixture: AgentFixture, options: Partial<CoreOptions> = {}) {
    this.#fixture = fixture;
    this.hosts = fixture.stores.map((store) => coreOn(store, options));
    this.host = this.hosts[0] as Core;
  }

  async seed(): Promise<this> {
    const { id: app_id } = await this.host.records(App).save(this.actor, {
      name: 'work',
      executable: '/usr/bin/work',
      exit_codes: { '3': { severity: 'error', retry: false } },
      environment: { PASSWORD: { type: 'password' }, REGION: { default: 'eu' } },
    });
    this.owner = { app_id, company_id: await this.addCompany('acme') };
    return this;
  }

  close(): Promise<void> {
    return this.#fixture.close();
  }

  async addCompany(code: string, fields: object = {}): Promise<number> {
    return (await this.host.records(Company).save(this.actor, { code, name: code, ...fields })).id;
  }

  /** Adds a template of a pool of its own, so that no other test claims its jobs. */
  async addTemplate(fields: Partial<RunTemplateInput> = {}, placement: object = {}) {
    const pool = `p-${randomUUID()}`;
    const { id } = await this.host.records(RunTemplate).save(this.actor, {
      ...this.owner,
      name: 'on agents',
      interval: 'none',
      overlap: 'allow',
      executor: 'agent',
      executor_options: { pool, ...placement },
      environment: { PASSWORD: this.secret },
      ...fields,
    } as RunTemplateInput);
    return { id, pool };
  }

  async scheduleJob(fields: Partial<RunTemplateInput> = {}, placement: object = {}) {
    const { id: runtemplate_id, pool } = await this.addTemplate(fields, placement);
    const { id } = await this.host.jobs.schedule(this.actor, { runtemplate_id });
    return { id, pool, runtemplate_id };
  }

  /** Adds a Task whose window is open, and a job of it that is due. */
  async addTask(runtemplate_id: number, fields: Partial<TaskRow> = {}): Promise<{ task: number; job: number }> {
    const task = await this.host.store.transaction(this.actor, async (tables) => {
      const now = await tables.now();
      const { company_id } = this.owner;
      this.#tasks += 1;
      const window_start = now - 60_000 * this.#tasks;
      const times = { window_start, window_end: now + 3_600_000, deadline: now + 3_600_000 };
      const row = { runtemplate_id, company_id, ...times, start_deadline: now + 3_600_000, ...fields };
      return insertOne(tables.of(Task), newRow(Task, row));
    });
    return { task, job: (await this.host.jobs.schedule(this.actor, { task_id: task })).id };
  }

  /** Claims jobs for an agent, as hosts do: what is reserved in a transaction of its own. */
  async claim(fields: Claimed & { readonly pool?: string }, host = this.host): Promise<readonly ClaimedAttempt[]> {
    const { pool, pools = pool === undefined ? {} : { [pool]: null }, ...rest } = fields;
    const byName = Object.entries(pools).map(([name, companies]) => [name, companies && new Set(companies)] as const);
    const usual = {
      agent: 'gpu1',
      claim: randomUUID(),
      labels: {},
      executors: new Set(['native']),
      slots: 1000,
      max: 8,
      lease: 10_000,
    };
    const request = { ...usual, ...rest, pools: new Map(byName) };
    const claim = (reserved: AgentClaims['reserved']) =>
      this.within((tables, { agents }) => agents.claimIn(tables, request, reserved), host);
    const attempts: ClaimedAttempt[] = [];
    for (let claimed = await claim(null); ; claimed = await claim(claimed.reserved)) {
      attempts.push(...claimed.attempts);
      if (!claimed.reserved) return attempts;
    }
  }

  /** Schedules a job and claims it. */
  async claimedJob(fields: Partial<RunTemplateInput> = {}, claimed: Claimed = {}) {
    const job = await this.scheduleJob(fields);
    const claim = randomUUID();
    const [attempt] = await this.claim({ pool: job.pool, claim, ...claimed });
    if (!attempt) throw new Error(`Job ${job.id} was not claimed.`);
    return { ...job, claim, attempt };
  }

  /** Reports events of an attempt, numbered from `from` on. */
  async report(
    { id, claim }: { readonly id: number; readonly claim: string },
    events: readonly AgentEvent[],
    { from = 1, host = this.host, agent = 'gpu1', leases = null, happenedAt }: ReportedBy = {},
  ): Promise<ReportOutcome[]> {
    return host.store.transaction(this.actor, async (tables) => {
      const at = happenedAt ?? (await tables.now());
      const reports = events.map((event, index) => ({ agent, jobId: id, claim, seq: from + index, at, event }));
      return host.agents.reportIn(tables, reports, leases);
    });
  }

  within<T>(work: (tables: Tables, host: Core) => Promise<T>, host = this.host): Promise<T> {
    return host.store.transaction(this.actor, (tables) => work(tables, host));
  }

  async readJob(id: number) {
    return this.#read(Job, id);
  }

  async readTask(id: number) {
    return this.#read(Task, id);
  }

  async #read<T extends typeof Job | typeof Task>(table: T, id: number) {
    const [row] = await this.host.store.read((tables) =>
      tables.of(table as typeof Job).find({ where: [['id', '=', id]] }),
    );
    if (!row) throw new Error(`There is no ${table.name} ${id}.`);
    return row as unknown as NonNullable<T['$row']>;
  }

  async leaseOf(id: number) {
    const where = [['job_id', '=', id]] as const;
    return (await this.host.store.read((tables) => tables.of(AgentLease).find({ where })))[0];
  }

  /** The output of a job as one text for each stream. */
  async outputOf(id: number): Promise<{ stdout: string; stderr: string }> {
    const { pieces } = await this.host.jobs.output(this.actor, id);
    const of = (name: string) =>
      Buffer.concat(pieces.filter(({ stream }) => stream === name).map(({ data }) => data)).toString();
    return { stdout: of('stdout'), stderr: of('stderr') };
  }

  async filesOf(id: number) {
    const { store } = this.host;
    const find = (tables: Tables) => tables.of(Artifact).find({ where: [['job_id', '=', id]], order: [['id', 'asc']] });
    const rows = await store.read(find);
    return Promise.all(
      rows.map(async (row) => ({ row, content: Buffer.from(await bytesOf(readContent(store, row))).toString() })),
    );
  }
}

function coreOn(store: Store, options: Partial<CoreOptions>): Core {
  return new Core({
    store,
    vault: new NodeVault(vaultKey),
    digests: new NodeDigests(),
    passwordHasher: new QuickHasher(),
    executors: [new ScriptedExecutor(), agentExecutor({ name: 'agent', limits })],
    timezone: 'UTC',
    capacity: 0,
    pingUrl: (jobId, key) => `http://localhost/api/v1/ping?job=${jobId}&key=${key}`,
    ...options,
  });
}

const encoder = new TextEncoder();

/** A report of output. */
export function printed(text: string, stream: 'stdout' | 'stderr' = 'stdout'): AgentEvent {
  return { kind: 'output', stream, bytes: encoder.encode(text), cut: false };
}

/** The report of an end. */
export function ended(fields: Partial<Extract<AgentEvent, { kind: 'ended' }>> = {}): AgentEvent {
  const usual = { exitCode: 0, signal: null, timedOut: false, lost: false, reason: null, peakMemory: null };
  return { kind: 'ended', ...usual, ...fields };
}

/** The reports of a file, with its content in pieces. */
export function file(filename: string, ...pieces: readonly string[]): AgentEvent[] {
  const size = pieces.join('').length;
  return [
    { kind: 'file', filename, contentType: 'text/plain', size, sha256: 'ab'.repeat(32) },
    ...pieces.map((piece): AgentEvent => ({ kind: 'piece', bytes: encoder.encode(piece) })),
  ];
}

interface ReportedBy {
  /** The number of the first event. @default 1 */
  readonly from?: number;
  readonly host?: Core;
  readonly agent?: string;
  readonly leases?: AttemptLeaseTimes | null;
  /** When the events happened. @default now */
  readonly happenedAt?: Instant;
}
