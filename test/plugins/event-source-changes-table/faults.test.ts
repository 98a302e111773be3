import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import pg from 'pg';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { administer, createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';
import { createTable, defaultOptions, insertKeys, kindWith } from './changes-tables.ts';

const never = new AbortController().signal;

describe('A changes table in SQLite with what it should not hold', () => {
  let folder: string;
  let file: string;
  let database: Database.Database;
  const read = async (after: string | null = null, more = {}) => {
    const options = { ...defaultOptions, driver: 'sqlite', database: file, gap_wait: 0, ...more };
    const source = await kindWith([folder]).open?.(options, never);
    try {
      return await source?.read(after, 100, never);
    } finally {
      await source?.close();
    }
  };

  beforeEach(() => {
    folder = temporaryFolder('changes');
    file = join(folder, 'hooks.sqlite');
    database = new Database(file);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  it('has rows set aside whose texts are not UTF-8, with the bytes', async () => {
    database.exec(`${createTable}; ${insertKeys(1, 2)}`);
    database.exec("update changes_cache set evidence = cast(x'c328' as text) where inversion = 1");
    const { changes = [] } = (await read()) ?? {};
    expect(changes.map(({ key, evidence, problem }) => [key, evidence, problem])).to.deep.equal([
      ['1', null, 'its evidence is not valid UTF-8'],
      ['2', 'order', undefined],
    ]);
    expect(changes[0]?.payload['evidence']).to.deep.equal({ base64: 'wyg=' });
  });

  it('has rows set aside whose keys lie between integers, and tells of those that are texts', async () => {
    const anything = 'recordid, evidence, operation, externalids, created, source, target';
    database.exec(`create table changes_cache (inversion, ${anything})`);
    database.exec("insert into changes_cache (inversion) values (1), (1.5), (2), ('x'), (x'00')");
    const { changes = [], cursor = null, warning } = (await read()) ?? {};
    expect(changes.map(({ key, problem }) => [key, problem])).to.deep.equal([
      ['1', undefined],
      ['1.5', 'its inversion 1.5 is no integer'],
      ['2', undefined],
    ]);
    expect(warning).to.equal('inversion x of changes_cache is no number; neither it nor what follows is read');
    database.exec('insert into changes_cache (inversion) values (3)');
    expect((await read(cursor))?.changes.map(({ key }) => key)).to.deep.equal(['3']);
  });

  it('is read once its lock is released, and blocks nothing meanwhile', async () => {
    database.exec(`${createTable}; ${insertKeys(1)}; begin exclusive`);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 10) database.exec('commit');
    }, 5);
    expect((await read())?.changes).to.have.length(1);
    clearInterval(timer);
    expect(turns).to.be.at.least(10);
  });
});

describe('A changes table in PostgreSQL with what it should not hold', () => {
  let url: string;
  let client: pg.Client;
  const options = () => {
    const { hostname: host, port, username, password, pathname } = new URL(url);
    return {
      ...defaultOptions,
      driver: 'pgsql',
      host,
      port: Number(port),
      username,
      password,
      database: pathname.slice(1),
    };
  };

  before(async () => {
    url = await createDatabase();
    const admin = new URL(url);
    const name = admin.pathname.slice(1);
    admin.pathname = '/postgres';
    await administer(admin.href, `drop database "${name}"`);
    await administer(
      admin.href,
      `create database "${name}" template template0 encoding 'SQL_ASCII' locale 'C' locale_provider libc`,
    );
    client = new pg.Client(url);
    await client.connect();
    await client.query(`${createTable}; ${insertKeys(1, 2)}`);
    await client.query(
      "set client_encoding = 'SQL_ASCII'; update changes_cache set evidence = E'\\303\\050' where inversion = 1",
    );
  });
  after(async () => {
    await client?.end();
    await dropDatabase(url);
  });

  it('has rows set aside whose texts are not UTF-8, with the bytes, where the database takes any bytes', async () => {
    const source = await kindWith([]).open?.(options(), never);
    const { changes = [] } = (await source?.read(null, 10, never)) ?? {};
    await source?.close();
    expect(changes.map(({ key, evidence, problem }) => [key, evidence, problem])).to.deep.equal([
      ['1', null, 'its evidence is not valid UTF-8'],
      ['2', 'order', undefined],
    ]);
    expect(changes[0]?.payload['evidence']).to.deep.equal({ base64: 'wyg=' });
  });

  it('rejects a read whose connection the server ends, and goes on in another', async () => {
    const source = await kindWith([]).open?.(options(), never);
    const batch = await source?.read(null, 1, never);
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'horarium' and datname = current_database()",
    );
    const failure = await rejectionOf(source?.read(batch?.cursor ?? null, 1, never) as Promise<unknown>);
    expect(failure.message).to.match(/^\S+( \S+)+$/);
    await source?.close();
    const again = await kindWith([]).open?.(options(), never);
    expect((await again?.read(batch?.cursor ?? null, 1, never))?.changes[0]?.key).to.equal('2');
    await again?.close();
  });
});
