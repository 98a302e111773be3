import { allTables } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import pg from 'pg';
import { Counter, SampleRecord, sample, sampleTables } from '#core/contracts/store/samples';
import { storeErrorOf } from '../../../adapters/mikro-orm/dialects/postgresql/errors.ts';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { defineStoreTests } from '../../contracts/store.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { administer, createDatabase, dropDatabase, TestPostgres } from '../../support/store/test-postgres.ts';

const open = (url: string) => openPostgresStore({ url, tables: sampleTables });

defineStoreTests(
  'The store in PostgreSQL',
  async () => {
    const url = await createDatabase();
    const store = await open(url);
    await store.schema.create();
    return {
      store,
      clock: new StandingClock(),
      close: async () => {
        await store.close();
        await dropDatabase(url);
      },
    };
  },
  { databaseTime: true, concurrent: true, hints: true },
);

/** Counts the connections that listen to hints. */
async function listeners(url: string): Promise<number> {
  const sql = `select count(*)::int as count from pg_stat_activity where datname = current_database() and query like 'listen %'`;
  return ((await administer(url, sql))[0] as { count: number }).count;
}

describe('The PostgreSQL store, when the server goes away', () => {
  let postgres: TestPostgres;
  let store: SqlStore;
  let url: string;
  const insert = (code: string) => store.transaction((tables) => tables.of(SampleRecord).insert([sample({ code })]));
  const unavailable = async (work: Promise<unknown>) => {
    const refusal = await rejectionOf(work);
    expect(refusal).to.have.property('code', 'unavailable');
    expect(refusal.message).to.match(/PostgreSQL at 127\.0\.0\.1:\d+ \(database test_\w+\)/);
    expect(refusal.message).not.to.contain(new URL(url).password);
  };

  before(async () => {
    postgres = new TestPostgres();
    url = await createDatabase({ server: await postgres.start() });
    store = await open(url);
    await store.schema.create();
  });
  after(async () => {
    await store.close();
    await postgres.close();
  });

  it('answers with an error that names the database, and works again once it is back', async () => {
    await insert('before');
    await postgres.stop();
    await unavailable(insert('lost'));
    await unavailable(store.transaction((tables) => tables.of(SampleRecord).count(), { readOnly: true }));
    await unavailable(store.schema.pending());
    await postgres.start();
    await insert('after');
    const rows = await store.transaction((tables) => tables.of(SampleRecord).find());
    expect(rows.map(({ code }) => code)).to.deep.equal(['before', 'after']);
  });

  it('rolls back the open transaction and leaks no connection', async () => {
    for (let round = 0; round < 12; round += 1) {
      await unavailable(
        store.transaction(async (tables) => {
          await tables.of(Counter).insert([{ name: `n${round}`, value: 1 }]);
          if (round === 0) await postgres.stop();
          await tables.of(Counter).count();
        }),
      );
    }
    await postgres.start();
    expect(await store.transaction((tables) => tables.of(Counter).count())).to.equal(0);
  });

  it('gives hints again once it is back, and one to all who may have missed some', async () => {
    const reached = Promise.withResolvers<void>();
    const listening = store.hints?.open(() => reached.resolve());
    await eventually('the connection', () => listeners(url));
    await postgres.stop();
    await postgres.start();
    await reached.promise;
    await listening?.close();
    expect(await listeners(url)).to.equal(0);
  });

  it('loses one connection without failing the others', async () => {
    const broken = await rejectionOf(
      store.transaction(async (tables) => {
        await tables.of(Counter).insert([{ name: 'x', value: 1 }]);
        await administer(
          url,
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
        );
        await tables.of(Counter).count();
      }),
    );
    expect(broken).to.have.property('code', 'unavailable');
    expect(await store.transaction((tables) => tables.of(Counter).count())).to.equal(0);
  });
});

describe('The PostgreSQL store, in a session of another time zone', () => {
  it('reads the times that it wrote', async () => {
    const url = new URL(await createDatabase());
    url.searchParams.set('options', '-c TimeZone=Asia/Kolkata');
    const store = await open(url.href);
    await store.schema.create();
    const seen_at = Date.UTC(2026, 10, 21, 5, 0, 0, 123);
    const before = Date.now();
    await store.transaction(async (tables) => {
      await tables.of(SampleRecord).insert([sample({ seen_at })]);
      expect((await tables.of(SampleRecord).find())[0]?.seen_at).to.equal(seen_at);
      expect(await tables.of(SampleRecord).count([['seen_at', '=', seen_at]])).to.equal(1);
      expect(await tables.now()).to.be.within(before, Date.now());
    });
    await store.close();
    url.search = '';
    await dropDatabase(url.href);
  });
});

describe('The PostgreSQL store, in a database with settings of its own', () => {
  let url: string;
  const within = async (settings: readonly string[], parameters: string, work: (store: SqlStore) => Promise<void>) => {
    url = await createDatabase();
    const name = new URL(url).pathname.slice(1);
    for (const setting of settings) await administer(url, `alter database "${name}" set ${setting}`);
    const store = await open(url + parameters);
    try {
      await store.schema.create();
      await work(store);
    } finally {
      await store.close();
      await dropDatabase(url);
    }
  };

  it('runs a transaction again that ran into a lock timeout, also when later statements had been sent by then', async () => {
    await within(["lock_timeout = '20ms'"], '', async (store) => {
      const locker = new pg.Client({ connectionString: url });
      await locker.connect();
      await locker.query(`begin; lock table ${Counter.table} in access exclusive mode`);
      let runs = 0;
      const count = await store.transaction(async (tables) => {
        runs += 1;
        if (runs === 2) await locker.query('commit');
        // One packet: the second statement fails because the first one has.
        const [found] = await Promise.all([tables.of(Counter).count(), tables.now()]);
        return found;
      });
      await locker.end();
      expect([count, runs]).to.deep.equal([0, 2]);
    });
  });

  it('sees what others have committed meanwhile, whatever isolation is the default there', async () => {
    await within(["default_transaction_isolation = 'serializable'"], '', async (store) => {
      const counted = await store.transaction(async (tables) => {
        await tables.of(SampleRecord).count();
        await store.transaction((others) => others.of(SampleRecord).insert([sample({ code: 'meanwhile' })]));
        return tables.of(SampleRecord).count();
      });
      expect(counted).to.equal(1);
    });
  });

  it('reads times and bytes as it wrote them, also with options in the URL', async () => {
    const settings = ["datestyle = 'German'", "bytea_output = 'escape'"];
    await within(settings, '?options=-c%20search_path%3Dpublic', async (store) => {
      const record = sample({ code: 'kept' });
      const [kept] = await store.transaction(async (tables) => {
        await tables.of(SampleRecord).insert([record]);
        return tables.of(SampleRecord).find();
      });
      expect(kept).to.deep.include(record);
    });
  });

  it('migrates where tables are created, also in a schema that search_path names', async () => {
    url = await createDatabase();
    await administer(url, 'create schema own');
    for (const parameters of ['?options=-c%20search_path%3Down', '']) {
      const store = await openPostgresStore({ url: url + parameters, tables: allTables });
      expect(await store.schema.migrate()).to.have.length.above(0);
      expect(await store.schema.pending()).to.deep.equal([]);
      expect(await store.schema.migrate()).to.deep.equal([]);
      await store.close();
    }
    await dropDatabase(url);
  });

  it('names what has the name of one of its tables, and an encoding that lacks characters', async () => {
    url = await createDatabase();
    await administer(url, 'create view horarium_topic as select 1 as one');
    const store = await openPostgresStore({ url, tables: allTables });
    expect((await rejectionOf(store.schema.migrate())).message).to.match(
      /^PostgreSQL at \S+ \(database \S+\) has something of the same name, which Horarium did not make \(relation "horarium_topic" already exists\)\.$/,
    );
    await store.close();
    const narrow = new URL(url);
    narrow.pathname += '_narrow';
    const name = narrow.pathname.slice(1);
    await administer(url, `create database "${name}" encoding 'LATIN1' locale 'C' template template0`);
    const narrowStore = await open(narrow.href);
    await narrowStore.schema.create();
    const inserting = narrowStore.transaction((tables) => tables.of(SampleRecord).insert([sample({ label: '•' })]));
    expect((await rejectionOf(inserting)).message).to.match(
      /cannot store every character: its encoding must be UTF8\.$/,
    );
    await narrowStore.close();
    for (const each of [narrow.href, url]) await dropDatabase(each);
  });
});

describe('Errors of PostgreSQL', () => {
  it('name the lack of TLS as the reason, where sslmode asks for it', async () => {
    const url = await createDatabase();
    const store = await open(`${url}?sslmode=verify-full`);
    const refusal = await rejectionOf(store.transaction((tables) => tables.of(Counter).count()));
    expect(refusal).to.have.property('code', 'unavailable');
    expect(refusal.message).to.match(/^PostgreSQL at \S+ \(database \S+\) speaks no TLS, which sslmode asks for\.$/);
    await store.close();
    await dropDatabase(url);
  });

  it('name an sslmode that is unknown, which the driver would take for another', async () => {
    for (const query of ['sslmode=required', 'sslmode=', 'sslmode=disable&sslmode=allow'])
      expect((await rejectionOf(open(`postgres://u@127.0.0.1:1/x?${query}`))).message, query).to.match(
        /^sslmode in the URL of the database must be one of disable, .*no-verify, not "(required||allow)"\.$/,
      );
  });

  it('name a certificate that is refused as the reason', () => {
    const address = new URL('postgres://user:secret@db.example/jobs');
    for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED']) {
      const error = Object.assign(new Error('the reason; a hint'), { code });
      expect((storeErrorOf(error, address) as Error).message, code).to.equal(
        'PostgreSQL at db.example:5432 (database jobs) presents a certificate that is refused (the reason).',
      );
    }
  });
});
