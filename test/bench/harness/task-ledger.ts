import { Task } from '@horarium/core';
import Database from 'better-sqlite3';
import pg from 'pg';
import { newRow } from '#core/store/table';
import type { BenchDatabase } from './databases.ts';

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
  const defaults = newRow(Task, {}) as Readonly<Record<string, unknown>>;
  const columns = Task.columns.map(({ name }) => name).filter((name) => name !== 'id');
  const literal = (value: unknown) =>
    value === null || value === undefined ? 'null' : typeof value === 'number' ? `${value}` : `'${value}'`;
  const selected = columns.map((name) => values[name] ?? literal(defaults[name]));
  return `insert into ${Task.table} (${columns.map((name) => `"${name}"`).join(', ')}) select ${selected.join(', ')} from ${sources} order by w.n, t.n`;
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
