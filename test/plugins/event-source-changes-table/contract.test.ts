import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@horarium/core';
import { type EventSourcesUnderTest, eventSourceContract } from '@horarium/core/contracts';
import Database from 'better-sqlite3';
import pg from 'pg';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';
import { createTable, defaultOptions, kindWith } from './changes-tables.ts';
import { SilentServer } from './silent-server.ts';

const insertEvents = "insert into changes_cache (inversion, recordid) values (1, 'a'), (2, 'b')";
const insertNext = 'insert into changes_cache (inversion) select max(inversion) + 1 from changes_cache';
const selectEvents = 'select * from changes_cache order by inversion';

describe('The kind changes-table in SQLite', () => {
  /** A process, because SQLite keeps files open that another connection of their process has locked. It ends with this one. */
  const lockerProgram = `const database = new (require(process.argv[2]))(process.argv[1]);
    database.exec('begin exclusive');
    console.log('locked');
    process.stdin.resume();`;
  let sources: EventSourcesUnderTest;
  let folder: string;
  let locker: ChildProcess;

  before(async () => {
    folder = temporaryFolder('changes');
    const make = (name: string, sql: string) => {
      const database = join(folder, name);
      new Database(database).exec(sql).close();
      return { ...defaultOptions, driver: 'sqlite', database };
    };
    const readable = make('readable.sqlite', `${createTable}; ${insertEvents}`);
    const locked = make('locked.sqlite', createTable);
    const library = fileURLToPath(import.meta.resolve('better-sqlite3'));
    const line = ['-e', lockerProgram, locked.database, library];
    locker = spawn(process.execPath, line, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(locker.stdout as NodeJS.ReadableStream, 'data');
    const text = { ...readable, database: join(folder, 'text') };
    writeFileSync(text.database, 'hello, this is not a database at all');
    sources = {
      kind: kindWith([folder]),
      readable,
      unreadable: [text, { ...readable, table: 'missing' }, { ...readable, database: join(folder, 'missing') }],
      unresponsive: [locked],
      events: async () => {
        const database = new Database(readable.database, { readonly: true });
        try {
          return database.prepare(selectEvents).all();
        } finally {
          database.close();
        }
      },
      addEvent: async () => {
        new Database(readable.database).exec(insertNext).close();
      },
      connections: () => openFiles().filter((file) => file.startsWith(folder)).length,
    };
  });
  after(() => {
    locker?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  defineContractTests(eventSourceContract(() => sources, systemClock));
});

/** Lists the files that this process has open. */
function openFiles(): string[] {
  const linkOf = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // The descriptor with which the folder was read is closed by now.
      return '';
    }
  };
  return readdirSync('/proc/self/fd').map(linkOf);
}

describe('The kind changes-table in PostgreSQL', () => {
  let sources: EventSourcesUnderTest;
  let url: string;
  let observer: pg.Client;
  let locker: pg.Client;
  let silentServer: SilentServer | undefined;

  before(async () => {
    url = await createDatabase();
    const { hostname: host, port, username, password, pathname } = new URL(url);
    const database = pathname.slice(1);
    [observer, locker] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([observer.connect(), locker.connect()]);
    await observer.query(`${createTable}; ${insertEvents}; ${createTable.replace('changes_cache', 'locked')}`);
    // Otherwise a server process that waits for a lock does not see that its client is gone.
    await observer.query(`alter database "${database}" set client_connection_check_interval = 10`);
    await locker.query('begin; lock table locked in access exclusive mode');
    silentServer = await new SilentServer().listen();
    const readable = { ...defaultOptions, driver: 'pgsql', host, port: Number(port), username, password, database };
    const silent = { ...readable, host: 'localhost', port: silentServer.port };
    const select = async (sql: string) => (await observer.query(sql)).rows;
    sources = {
      kind: kindWith([]),
      readable,
      unreadable: [
        { ...readable, table: 'missing' },
        { ...readable, database: 'missing' },
        { ...readable, host: 'localhost', port: 1 },
      ],
      unresponsive: [silent, { ...readable, table: 'locked' }],
      events: () => select(selectEvents),
      addEvent: async () => void (await observer.query(insertNext)),
      connections: async () => {
        const connected = await select(
          "select from pg_stat_activity where datname = current_database() and application_name = 'horarium'",
        );
        return connected.length + (silentServer?.sockets.size ?? 0);
      },
    };
  });
  after(async () => {
    silentServer?.close();
    await Promise.all([observer?.end(), locker?.end()]);
    await dropDatabase(url);
  });

  defineContractTests(eventSourceContract(() => sources, systemClock));
});
