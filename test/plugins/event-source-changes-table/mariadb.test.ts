import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@horarium/core';
import { type EventSourcesUnderTest, eventSourceContract } from '@horarium/core/contracts';
import { expect } from 'chai';
import type { Connection } from 'mysql2/promise';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';
import { mariadbd, TestMariadb } from '../../support/store/test-mariadb.ts';
import { createTable, defaultOptions, insertKeys, kindWith } from './changes-tables.ts';
import { SilentServer } from './silent-server.ts';

const never = new AbortController().signal;

describe('The kind changes-table in MariaDB (HORARIUM_TEST_MARIADB)', () => {
  const kind = kindWith([]);
  let server: TestMariadb;
  let certificate: string | undefined;
  let folder: string;
  let observer: Connection;
  let locker: Connection;
  let silentServer: SilentServer | undefined;
  let sources: EventSourcesUnderTest;
  let place: Readonly<Record<string, unknown>>;

  before(async function () {
    if (mariadbd === undefined) this.skip();
    server = new TestMariadb();
    folder = temporaryFolder('tls');
    const tls = hasOpenssl() ? selfSignedCertificate('localhost') : undefined;
    certificate = tls?.certificate;
    const files = { certificate: join(server.folder, 'certificate.pem'), key: join(server.folder, 'key.pem') };
    for (const name of ['certificate', 'key'] as const) if (tls) writeFileSync(files[name], tls[name]);
    await server.start(tls && files);
    observer = await server.connect();
    await observer.query(
      "create database hooks; create user reader@'%' identified by 'reader''s secret'; grant select, insert, delete on hooks.* to reader@'%'; use hooks",
    );
    await observer.query(`${createTable}; ${insertKeys(1, 2)}; ${createTable.replace('changes_cache', 'locked')}`);
    locker = await server.connect('hooks');
    await locker.query('lock tables locked write');
    silentServer = await new SilentServer().listen();
    const reader = { username: 'reader', password: "reader's secret", database: 'hooks' };
    place = { ...defaultOptions, driver: 'mysql', host: '127.0.0.1', port: server.port, ...reader };
    sources = {
      kind,
      readable: place,
      unreadable: [
        { ...place, table: 'missing' },
        { ...place, database: 'missing' },
        { ...place, password: 'another' },
        { ...place, port: 1 },
      ],
      unresponsive: [
        { ...place, host: 'localhost', port: silentServer.port },
        { ...place, table: 'locked' },
      ],
      events: async () => (await observer.query('select * from changes_cache order by inversion'))[0] as unknown[],
      addEvent: async () =>
        void (await observer.query(
          'insert into changes_cache (inversion) select max(inversion) + 1 from changes_cache',
        )),
      connections: async () => {
        const [rows] = await observer.query("select 1 from information_schema.processlist where user = 'reader'");
        return (rows as unknown[]).length + (silentServer?.sockets.size ?? 0);
      },
    };
  });
  after(async () => {
    silentServer?.close();
    for (const connection of [observer, locker]) connection?.destroy();
    await server?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  defineContractTests(eventSourceContract(() => sources, systemClock));

  it('needs a username', async () => {
    expect((await rejectionOf(kind.probe({ ...place, username: null }, never))).message).to.equal(
      'MySQL needs a username',
    );
  });

  it('is written to only where rows are to be deleted', async () => {
    const source = await kind.open?.({ ...place, delete_processed: true, gap_wait: 0 }, never);
    await observer.query('insert into changes_cache (inversion) values (1000)');
    const { cursor } = (await source?.read('999', 10, never)) ?? {};
    await source?.acknowledge?.(cursor as string, never);
    await source?.close();
    const [rows] = await observer.query('select * from changes_cache where inversion = 1000');
    expect(rows).to.deep.equal([]);
  });

  it('gets the credentials over TLS only after its certificate is verified', async function () {
    if (certificate === undefined) this.skip();
    const verified = { ...place, host: 'localhost', sslmode: 'verify-full' };
    const refused = async (options: object) =>
      (await rejectionOf(kind.probe({ ...verified, ...options }, never))).message;
    expect(await refused({})).to.match(/self-signed certificate/);
    expect(await refused({ sslrootcert: selfSignedCertificate('localhost').certificate })).to.match(/certificate/);
    expect(await refused({ sslrootcert: certificate, host: '127.0.0.1' })).to.equal(
      'verify-full needs the name of the host of MySQL, not its address 127.0.0.1',
    );
    const foreign = selfSignedCertificate('db.acme.example').certificate;
    expect(await refused({ sslrootcert: foreign })).to.match(/certificate/);
    await kind.probe({ ...verified, sslrootcert: certificate }, never);
    await kind.probe({ ...verified, sslmode: 'require' }, never);
    await observer.query("alter user reader@'%' require ssl");
    expect((await rejectionOf(kind.probe(place, never))).message).to.match(/Access denied/);
    await kind.probe({ ...verified, sslmode: 'require' }, never);
    await observer.query("alter user reader@'%' require none");
  });

  it('sets rows aside whose texts are not UTF-8, with the bytes', async () => {
    await observer.query('create table bytes_cache as select * from changes_cache where inversion < 3');
    await observer.query(
      "alter table bytes_cache modify recordid varbinary(20); update bytes_cache set recordid = x'c328' where inversion = 1",
    );
    const source = await kind.open?.({ ...place, table: 'bytes_cache' }, never);
    const changes = (await source?.read(null, 10, never))?.changes ?? [];
    await source?.close();
    expect(changes.map(({ key, recordId, problem }) => [key, recordId, problem])).to.deep.equal([
      ['1', null, 'its recordid is not valid UTF-8'],
      ['2', 'r2', undefined],
    ]);
    expect(changes[0]?.payload['recordid']).to.deep.equal({ base64: 'wyg=' });
  });

  it('rejects a read during which the server dies, and is read again when it is back', async () => {
    const source = await kind.open?.(place, never);
    const batch = await source?.read(null, 1, never);
    await server.kill();
    const failure = await rejectionOf(source?.read(batch?.cursor ?? null, 1, never) as Promise<unknown>);
    expect(failure.message).to.match(/^\S+( \S+)+$/);
    await source?.close();
    expect((await rejectionOf(kind.probe(place, never))).message).to.match(/ECONNREFUSED/);
    await server.run();
    const again = await kind.open?.(place, never);
    expect((await again?.read(batch?.cursor ?? null, 1, never))?.changes[0]?.key).to.equal('2');
    await again?.close();
  });
});
