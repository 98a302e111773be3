import { Job, RunTemplate, Task } from '@horarium/core';
import Database from 'better-sqlite3';
import pg from 'pg';
import { required } from '#core/store/rows';
import { newRow, type TableDescription } from '#core/store/table';
import type { BenchDatabase } from './databases.ts';
import { addTemplates, ceilToSecond } from './templates-due.ts';

export interface TaskLedger {
  /** The ids of the templates, which follow each other. */
  readonly firstTemplate: number;
  readonly templates: number;
  /** How many hourly windows of each template have passed. */
  readonly windows: number;
  /** When the last of them ended. */
  readonly until: number;
}

const hour = 3_600_000;
/** Of a thousand Tasks that many were fulfilled late, failed or missed. */
const bad = { fulfilled_late: 5, failed: 3, missed: 2 } as const;

/**
 * Inserts a Task for each window of each template, as a service has after months: inside the database and without the
 * indexes that no constraint needs, which are built afterwards. Each ended a minute after its window began; those of the
 * current window are open.
 */
export async function insertLedger({ url }: Pick<BenchDatabase, 'url'>, ledger: TaskLedger): Promise<void> {
  if (url.startsWith('postgres')) await onPostgres(url, ledger);
  else onSqlite(url.slice('sqlite:'.length), ledger);
}

/** Writes the statement that inserts all of them, from a table `w` of window numbers and a table `t` of templates. */
function insertStatement(
  { firstTemplate, windows, until }: TaskLedger,
  instant: (milliseconds: string) => string,
  sources: string,
): string {
  const start = `(${until} - (${windows} - w.n) * ${hour})`;
  const roll = '((t.n * 7919 + w.n * 104729) % 1000)';
  const isOpen = `w.n = ${windows}`;
  const state = `case when ${isOpen} then 'open' when ${roll} < ${bad.fulfilled_late} then 'fulfilled_late' when ${roll} < ${bad.fulfilled_late + bad.failed} then 'failed' when ${roll} < ${bad.fulfilled_late + bad.failed + bad.missed} then 'missed' else 'fulfilled' end`;
  const values: Readonly<Record<string, string>> = {
    revision: '3',
    created_at: instant(start),
    updated_at: instant(`${start} + 60000`),
    runtemplate_id: `${firstTemplate} + t.n`,
    company_id: '1',
    window_start: instant(start),
    window_end: instant(`${start} + ${hour}`),
    deadline: instant(`${start} + ${hour}`),
    ended_at: `case when ${isOpen} then null else ${instant(`${start} + 60000`)} end`,
    fulfilled_at: `case when ${isOpen} then null else ${instant(`${start} + 60000`)} end`,
    start_deadline: `case when ${isOpen} then ${instant(`${start} + ${hour}`)} end`,
    state,
    attempts: '1',
  };
  return `${insertInto(Task, values)} from ${sources} order by w.n, t.n`;
}

/** Writes `insert into … select …` for rows of a table; the columns without an expression get their defaults. */
function insertInto(description: TableDescription, values: Readonly<Record<string, string>>): string {
  const defaults = newRow(description, {}) as Readonly<Record<string, unknown>>;
  const columns = description.columns.map(({ name }) => name).filter((name) => name !== 'id');
  const selected = columns.map((name) => values[name] ?? literal(defaults[name]));
  return `insert into ${description.table} (${columns.map((name) => `"${name}"`).join(', ')}) select ${selected.join(', ')}`;
}

function literal(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  return `'${typeof value === 'string' ? value : JSON.stringify(value)}'`;
}

/** Inserts the job of each Task that has ended of every n-th template. @param app of the templates. */
export async function insertLedgerJobs(
  { url }: Pick<BenchDatabase, 'url'>,
  { firstTemplate, every, app }: { readonly firstTemplate: number; readonly every: number; readonly app: number },
): Promise<void> {
  const chosen = `t.ended_at is not null and (t.runtemplate_id - ${firstTemplate}) % ${every} = 0`;
  const insert = insertInto(Job, {
    revision: '3',
    created_at: 't.created_at',
    updated_at: 't.updated_at',
    runtemplate_id: 't.runtemplate_id',
    app_id: `${app}`,
    company_id: 't.company_id',
    task_id: 't.id',
    state: `case t.state when 'failed' then 'failed' when 'missed' then 'skipped' else 'succeeded' end`,
    scheduled_at: 't.window_start',
    started_at: `case t.state when 'missed' then null else t.window_start end`,
    finished_at: 't.ended_at',
    worker: `'host:1:abc'`,
  });
  const statements = [
    `${insert} from ${Task.table} t where ${chosen}`,
    `update ${Task.table} set fulfilled_by_job_id = (select j.id from ${Job.table} j where j.task_id = ${Task.table}.id)
      where ${chosen.replaceAll('t.', '')} and state in ('fulfilled', 'fulfilled_late')`,
  ];
  if (url.startsWith('postgres')) await runOnPostgres(url, [...statements, 'vacuum analyze']);
  else runOnSqlite(url.slice('sqlite:'.length), statements);
}

/**
 * Fills a store with Tasks of hourly windows up to now, and a job of each.
 * @param at when the next windows of the templates begin.
 * @returns the id of the first template.
 */
export async function fillLedger(
  opened: BenchDatabase,
  { templates, windows, at }: Pick<TaskLedger, 'templates' | 'windows'> & { readonly at: number },
): Promise<number> {
  const added = await addTemplates(opened.store, { count: templates, executor: 'noop', at: ceilToSecond(at) });
  const firstTemplate = required(added[0], 'template');
  await insertLedger(opened, { firstTemplate, templates, windows, until: Math.floor(Date.now() / hour) * hour });
  const [template] = await opened.store.transaction((tables) => tables.of(RunTemplate).find({ limit: 1 }));
  await insertLedgerJobs(opened, { firstTemplate, every: 1, app: required(template, 'template').app_id });
  return firstTemplate;
}

async function runOnPostgres(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function runOnSqlite(file: string, statements: readonly string[]): void {
  const database = new Database(file);
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

async function onPostgres(url: string, ledger: TaskLedger): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
    const { rows } = await client.query({
      text: `select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename = $1
        and not exists (select 1 from pg_constraint where conname = indexname)`,
      values: [Task.table],
    });
    for (const { indexname } of rows) await client.query(`drop index "${indexname}"`);
    const sources = `generate_series(0::bigint, ${ledger.windows}) as w (n), generate_series(0::bigint, ${ledger.templates - 1}) as t (n)`;
    await client.query(insertStatement(ledger, (text) => `to_timestamp((${text}) / 1000.0)`, sources));
    for (const { indexdef } of rows) await client.query(indexdef);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

function onSqlite(file: string, ledger: TaskLedger): void {
  const database = new Database(file);
  try {
    database.pragma('foreign_keys = off');
    database.pragma('cache_size = -500000');
    const indexes = database
      .prepare(`select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null`)
      .all(Task.table) as { name: string; sql: string }[];
    for (const { name } of indexes) database.exec(`drop index "${name}"`);
    const numbers = (count: number) =>
      `(with recursive s (n) as (select 0 union all select n + 1 from s where n < ${count - 1}) select n from s)`;
    const sources = `${numbers(ledger.windows + 1)} as w, ${numbers(ledger.templates)} as t`;
    database.exec(insertStatement(ledger, (text) => `(${text})`, sources));
    for (const { sql } of indexes) database.exec(sql);
  } finally {
    database.close();
  }
}
