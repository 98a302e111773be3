import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Core,
  EventSource,
  type EventSourceKind,
  Job,
  type JobRow,
  systemClock,
  trustedActor,
} from '@horarium/core';
import Database from 'better-sqlite3';
import pg from 'pg';
import plugin from '../../../plugins/event-source-changes-table/plugin.ts';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { type BenchDatabase, openDatabase } from '../harness/databases.ts';
import { quantile } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'a row of a changes table to the start of its job, the wait for the poll taken off';
const samples = 20;
const down = 100;
const actor = trustedActor('bench', 'embedded');

const columns =
  'recordid text, evidence text, operation text, externalids text, created text, source text, target text';
const createTable = `create table changes_cache (inversion integer primary key, ${columns})`;
const insert = (key: number) =>
  `insert into changes_cache (inversion, recordid, evidence, operation) values (${key}, 'r${key}', 'order', 'create')`;

/** A table of changes in a database of its own. */
interface Changes extends AsyncDisposable {
  readonly options: Record<string, unknown>;
  run(sql: string): Promise<void>;
}

/** Measures from the time at which a poll is due to the start of a job, when a row was committed before. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    await using changes = database === 'PostgreSQL' ? await postgresChanges(opened) : sqliteChanges();
    await using silent = await silentServer();
    const folder = 'folder' in changes ? [changes.folder as string] : [];
    const [kind] =
      plugin.eventSourceKinds?.({ options: { sqlite_folders: folder }, clock: systemClock, log: () => {} }) ?? [];
    const kinds = new Map([['changes-table', kind as EventSourceKind]]);
    await using core = benchCore(opened.store, new NoopExecutor(), 16, { eventSourceKinds: kinds });
    await core.start();
    const source = await listen(core, changes.options);
    let key = 0;
    const measure = async (title: string) => {
      const delays: number[] = [];
      for (let sample = 0; sample < samples; sample++)
        delays.push(await delayOf(core, source, () => changes.run(insert(++key)), key + 1));
      report.figure(`${database}, ${title}, p50`, quantile(delays, 0.5), 'ms');
      report.figure(`${database}, ${title}, p95`, quantile(delays, 0.95), 'ms');
    };
    await measure('alone');
    for (let index = 0; index < down; index++) {
      // Half of them refuse connections; the others accept them and do not respond.
      const port = index % 2 === 0 ? 1 : silent.port;
      const place = { driver: 'pgsql', host: '127.0.0.1', port, database: 'd', username: 'u', password: 'p' };
      await core.eventSources.save(actor, {
        name: `down ${index}`,
        kind: 'changes-table',
        options: place,
        poll_interval: 1,
      });
    }
    await pause(1000);
    await measure(`beside ${down} sources that are down`);
  }
}

/** @returns the id of a source that is polled each second, and starts a job with each change. */
async function listen(core: Core, options: Record<string, unknown>): Promise<number> {
  const app = await core.apps.save(actor, { name: 'noop', executable: 'noop' });
  const company = await core.companies.save(actor, { code: 'bench', name: 'Bench' });
  const fields = {
    name: 'noop',
    app_id: app.id,
    company_id: company.id,
    interval: 'none',
    overlap: 'allow',
    executor: 'noop',
  } as const;
  const template = await core.runTemplates.save(actor, fields);
  const given = { name: 'shop', kind: 'changes-table', options, poll_interval: 1 };
  const source = await core.eventSources.save(actor, given);
  await core.eventRules.save(actor, { event_source_id: source.id, runtemplate_id: template.id });
  return source.id;
}

/** Commits a row before the next poll is due. @returns the milliseconds from then to the start of its job. */
async function delayOf(core: Core, source: number, commit: () => Promise<void>, jobs: number): Promise<number> {
  const due = await nextPoll(core, source);
  await commit();
  for (;;) {
    const rows: Pick<JobRow, 'started_at'>[] = await core.store.read((tables) =>
      tables.of(Job).find({ columns: ['started_at'], order: [['id', 'desc']] }),
    );
    const startedAt = rows[0]?.started_at;
    if (rows.length === jobs && typeof startedAt === 'number') return startedAt - due;
    await pause(2);
  }
}

/** Waits until a poll has ended, and returns when the next one is due. */
async function nextPoll(core: Core, source: number): Promise<number> {
  const read = () =>
    core.store.read(async (tables) => ({
      now: await tables.now(),
      row: (await tables.of(EventSource).find({ where: [['id', '=', source]] }))[0],
    }));
  const before = (await read()).row?.last_polled_at;
  for (;;) {
    const { now, row } = await read();
    const due = row?.next_poll_at ?? 0;
    // One that is under way is claimed for a minute.
    if (row?.last_polled_at !== before && due - now > 200 && due - now <= 1000) return due;
    await pause(5);
  }
}

function sqliteChanges(): Changes & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'horarium-bench-changes-'));
  const file = join(folder, 'changes.sqlite');
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.exec(createTable);
  return {
    folder,
    options: { driver: 'sqlite', database: file },
    run: async (sql) => void database.exec(sql),
    async [Symbol.asyncDispose]() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgresChanges({ url }: BenchDatabase): Promise<Changes> {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const client = new pg.Client(url);
  await client.connect();
  await client.query(createTable);
  return {
    options: { driver: 'pgsql', host, port: Number(port), username, password, database: pathname.slice(1) },
    run: async (sql) => void (await client.query(sql)),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function silentServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
