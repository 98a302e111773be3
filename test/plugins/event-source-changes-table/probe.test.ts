import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allTables, type EventSourceKind } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import pg from 'pg';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';
import { createTable, defaultOptions, kindWith } from './changes-tables.ts';
import { FakeTlsPostgres, refusalOverTls } from './fake-tls-postgres.ts';

const never = new AbortController().signal;

describe('A changes table in SQLite', () => {
  let folder: string;
  let kind: EventSourceKind;
  const probe = (database: string, more = {}) =>
    kind.probe({ ...defaultOptions, driver: 'sqlite', database, ...more }, never);
  const refused = async (database: string, more = {}) => (await rejectionOf(probe(database, more))).message;
  const make = (name: string, sql: string) => {
    const database = new Database(join(folder, name));
    database.exec(sql);
    database.close();
    return join(folder, name);
  };

  beforeEach(() => {
    folder = temporaryFolder('changes');
    mkdirSync(join(folder, 'open'));
    kind = kindWith([join(folder, 'open')]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is reachable when it has all columns', async () => {
    await probe(make('open/a.sqlite', createTable));
    expect(await refused(make('open/b.sqlite', 'create table other (id integer)'))).to.match(/no such table/);
    const lacking = make('open/c.sqlite', 'create table changes_cache (inversion integer, recordid text)');
    expect(await refused(lacking)).to.match(/no such column: t\.evidence/);
    await probe(make('open/d.sqlite', createTable.replace('changes_cache', 'other')), { table: 'other' });
  });

  it('must be in one of the configured folders, whatever the links', async () => {
    const secret = make('secret.sqlite', createTable);
    symlinkSync(secret, join(folder, 'open', 'link.sqlite'));
    for (const file of [
      secret,
      join(folder, 'open', 'link.sqlite'),
      join(folder, 'open/../secret.sqlite'),
      '/etc/none',
    ])
      expect(await refused(file)).to.equal(
        `${file} is in none of the folders that files may be read from (horarium help tables)`,
      );
    expect(await refused(join(folder, 'open', 'missing'))).to.match(/there is no file/);
    expect(await refused(join(folder, 'open'))).to.match(/in none of the folders/);
    mkdirSync(join(folder, 'open', 'sub'));
    expect(await refused(join(folder, 'open', 'sub'))).to.match(/is not a file/);
    kind = kindWith([]);
    expect(await refused(make('open/a.sqlite', createTable))).to.match(/in none of the folders/);
  });

  it('is refused in a database of Horarium', async () => {
    const file = join(folder, 'open', 'own.sqlite');
    const store = await openSqliteStore({ file, tables: allTables, clock: new StandingClock() });
    await store.schema.migrate();
    expect(await refused(file, { table: 'horarium_audit_log' })).to.match(/is a database of Horarium itself/);
    await store.close();
  });

  it('is refused in a file that is not a database', async () => {
    writeFileSync(join(folder, 'open', 'text'), 'hello, this is not a database at all');
    expect(await refused(join(folder, 'open', 'text'))).to.match(/not a database/);
  });
});

describe('A changes table in PostgreSQL', () => {
  let url: string;
  let place: Record<string, unknown>;
  const kind = kindWith([]);
  const probe = (more = {}) => kind.probe({ ...defaultOptions, ...place, ...more }, never);
  const refused = async (more = {}) => (await rejectionOf(probe(more))).message;

  before(async () => {
    url = await createDatabase();
    const { hostname, port, username, password, pathname } = new URL(url);
    const database = pathname.slice(1);
    place = { driver: 'pgsql', host: hostname, port: Number(port), username, password, database };
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`${createTable}; create schema hooks; ${createTable.replace('changes_cache', 'hooks.other')}`);
    await client.query('create table lacking (inversion integer)');
    await client.end();
  });
  after(() => dropDatabase(url));

  it('is reachable when it has all columns, in any schema', async () => {
    await probe();
    await probe({ table: 'hooks.other' });
    expect(await refused({ table: 'missing' })).to.match(/relation "missing" does not exist/);
    expect(await refused({ table: 'lacking' })).to.match(/column t\.recordid does not exist/);
  });

  it('fails with the reason why it cannot be read', async () => {
    expect(await refused({ port: 1 })).to.match(/ECONNREFUSED/);
    expect(await refused({ database: 'missing' })).to.match(/database "missing" does not exist/);
    expect(await refused({ username: null })).to.equal('PostgreSQL needs a username');
  });

  it('is not reached without TLS where TLS is required', async () => {
    expect(await refused({ sslmode: 'require' })).to.match(/does not support SSL/);
  });

  it('is disconnected when the probe is aborted', async () => {
    const over = new AbortController();
    const waiting = kind.probe({ ...defaultOptions, ...place }, over.signal);
    over.abort();
    expect(await rejectionOf(waiting)).to.be.an('error');
  });
});

describe('A changes table in PostgreSQL with TLS', () => {
  const kind = kindWith([]);
  const place = { ...defaultOptions, driver: 'pgsql', username: 'horarium', database: 'hooks', sslmode: 'verify-full' };
  let tlsPostgres: FakeTlsPostgres;
  let certificate: string;
  const refused = async (more = {}) =>
    (await rejectionOf(kind.probe({ ...place, port: tlsPostgres.port, ...more }, never))).message;

  before(async function () {
    if (!hasOpenssl()) this.skip();
    const tls = selfSignedCertificate('localhost');
    certificate = tls.certificate;
    tlsPostgres = await new FakeTlsPostgres(tls).listen();
  });
  after(() => tlsPostgres?.close());

  it('gets the credentials only after its certificate is verified', async () => {
    expect(await refused()).to.match(/self-signed certificate/);
    expect(await refused({ sslrootcert: selfSignedCertificate('localhost').certificate })).to.match(/certificate/);
    expect(await refused({ sslrootcert: certificate, host: '127.0.0.1' })).to.match(/does not match certificate/);
    expect(tlsPostgres.users).to.deep.equal([]);
    expect(await refused({ sslrootcert: certificate })).to.equal(refusalOverTls);
    expect(await refused({ sslmode: 'require' })).to.equal(refusalOverTls);
    expect(tlsPostgres.users).to.deep.equal(['horarium', 'horarium']);
  });
});
