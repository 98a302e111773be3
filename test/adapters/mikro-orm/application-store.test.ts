import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandingClock } from '@horarium/core/contracts';
import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import Handle from 'better-sqlite3';
import { expect } from 'chai';
import { CompiledQuery, SqliteDialect, type Transaction } from 'kysely';
import { Child, SampleRecord, sample, sampleTables } from '#core/contracts/store/samples';
import { mikroOrmStore } from '../../../adapters/mikro-orm/application-store.ts';
import { readDatabaseUrl } from '../../../adapters/mikro-orm/databases.ts';
import type { MikroOrmStore } from '../../../adapters/mikro-orm/mikro-orm-store.ts';
import { defineStoreTests } from '../../contracts/store.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { Order, openShop } from '../../support/store/shop-orm.ts';
import { databaseKinds, type TestDatabase } from '../../support/store/test-databases.ts';

interface Application {
  readonly orm: MikroORM;
  close(): Promise<void>;
}

async function openApplication({ url, drop }: TestDatabase): Promise<Application> {
  const orm = await openShop(url);
  return {
    orm,
    close: async () => {
      await orm.close();
      await drop();
    },
  };
}

describe('A store on an application’s MikroORM', () => {
  const { dependencies } = JSON.parse(readFileSync(join(sourceRoot, 'package.json'), 'utf8'));
  const onMySql = { em: { getPlatform: () => new (class MySqlPlatform {})() } } as unknown as MikroORM;

  it('refuses one of another copy of the package, whose transactions it would not see', async () => {
    const { message } = await rejectionOf(mikroOrmStore({ orm: onMySql }));
    expect(message).to.equal(
      `The application's MikroORM is not the one that horarium loads: install version ${dependencies['@mikro-orm/core']} of its packages in the application too.`,
    );
  });

  it('refuses one on another database', async () => {
    const orm = Object.setPrototypeOf({ ...onMySql }, MikroORM.prototype);
    expect((await rejectionOf(mikroOrmStore({ orm }))).message).to.equal(
      'A store needs a MikroORM on SQLite or PostgreSQL, not one with the MySqlPlatform.',
    );
  });
});

for (const { title: name, traits, create } of Object.values(databaseKinds)) {
  defineStoreTests(
    `The store on an application's MikroORM, in ${name}`,
    async () => {
      const application = await openApplication(await create());
      const clock = new StandingClock();
      const store = await mikroOrmStore({ orm: application.orm, tables: sampleTables, clock });
      await store.schema.create();
      return { store, clock, close: () => application.close() };
    },
    traits,
  );

  describe(`A store within a transaction of the application, in ${name}`, () => {
    let application: Application;
    let store: MikroOrmStore;
    let em: SqlEntityManager;
    const codes = () =>
      store.transaction(async (tables) => (await tables.of(SampleRecord).find()).map(({ code }) => code), {
        readOnly: true,
      });
    const customers = async () => (await em.fork().find(Order, {})).map(({ customer }) => customer);
    const insert = (inside: SqlEntityManager, code: string, committed?: () => void) =>
      store.within(inside).transaction(async (tables) => {
        if (committed) tables.afterCommit(committed);
        await tables.of(SampleRecord).insert([sample({ code })]);
      });

    beforeEach(async () => {
      application = await openApplication(await create());
      em = application.orm.em as SqlEntityManager;
      store = await mikroOrmStore({ orm: application.orm, tables: sampleTables, clock: new StandingClock() });
      await application.orm.schema.create();
      await store.schema.create();
    });
    afterEach(() => application.close());

    it('commits with it, and calls back only after the commit', async () => {
      const events: string[] = [];
      await em.fork().transactional(async (inside) => {
        inside.create(Order, { customer: 'Jane' });
        await inside.flush();
        await insert(inside as SqlEntityManager, 'a', () => events.push('committed'));
        events.push('written');
      });
      expect([await customers(), await codes(), events]).to.deep.equal([['Jane'], ['a'], ['written', 'committed']]);
    });

    it('leaves nothing when the application rolls back, and never calls back', async () => {
      const events: string[] = [];
      const failing = em.fork().transactional(async (inside) => {
        inside.create(Order, { customer: 'Jane' });
        await inside.flush();
        await insert(inside as SqlEntityManager, 'a', () => events.push('committed'));
        throw new Error('no order today');
      });
      expect((await rejectionOf(failing)).message).to.equal('no order today');
      await em.fork().transactional(async (inside) => insert(inside as SqlEntityManager, 'b'));
      expect([await customers(), await codes(), events]).to.deep.equal([[], ['b'], []]);
    });

    it('undoes its own failed work alone when the application catches the error', async () => {
      await em.fork().transactional(async (inside) => {
        inside.create(Order, { customer: 'Jane' });
        await inside.flush();
        await insert(inside as SqlEntityManager, 'a');
        const failing = store.within(inside as SqlEntityManager).transaction(async (tables) => {
          await tables.of(SampleRecord).insert([sample({ code: 'b' })]);
          await tables.of(Child).insert([{ parent_id: 999, unchecked_id: null, number: 1, part: null } as never]);
        });
        await rejectionOf(failing);
        inside.create(Order, { customer: 'John' });
      });
      expect([await customers(), await codes()]).to.deep.equal([['Jane', 'John'], ['a']]);
    });

    it('passes on the error of its work when the database has ended the transaction meanwhile', async () => {
      const refusals: string[] = [];
      const ended = em.fork().transactional(async (inside) => {
        const executor = inside.getTransactionContext<Transaction<unknown>>()?.getExecutor();
        const connection = await executor?.provideConnection(async (provided) => provided);
        const failing = store.within(inside as SqlEntityManager).transaction(async () => {
          await connection?.executeQuery(CompiledQuery.raw('rollback'));
          throw new Error('the disk is full');
        });
        refusals.push((await rejectionOf(failing)).message);
      });
      await ended.catch(() => undefined);
      expect(refusals).to.deep.equal(['the disk is full']);
    });

    it('calls back after an explicit commit of the application, and not after its rollback', async () => {
      const events: string[] = [];
      const inside = em.fork();
      await inside.begin();
      await insert(inside, 'a', () => events.push('a'));
      await inside.rollback();
      await inside.begin();
      await insert(inside, 'b', () => events.push('b'));
      expect(events).to.deep.equal([]);
      await inside.commit();
      expect([await codes(), events]).to.deep.equal([['b'], ['b']]);
    });

    it('calls back where the application gives its entity manager an event manager of its own', async () => {
      const events: string[] = [];
      const explicit = em.fork({ freshEventManager: true });
      await explicit.begin();
      await insert(explicit, 'a', () => events.push('a'));
      await explicit.commit();
      await em.fork({ freshEventManager: true }).transactional(async (outer) => {
        await outer.transactional((inner) => insert(inner as SqlEntityManager, 'b', () => events.push('b')));
      });
      expect(events).to.deep.equal(['a', 'b']);
    });

    it('calls back where the entity manager is older than the store', async () => {
      const events: string[] = [];
      const older = em.fork({ freshEventManager: true });
      store = await mikroOrmStore({ orm: application.orm, tables: sampleTables, clock: new StandingClock() });
      await older.transactional((inside) => insert(inside as SqlEntityManager, 'a', () => events.push('a')));
      expect(events).to.deep.equal(['a']);
    });

    it('is undone with the savepoint of a nested transaction that fails, and calls back for the others', async () => {
      const events: string[] = [];
      await em.fork().transactional(async (outer) => {
        await insert(outer as SqlEntityManager, 'a', () => events.push('a'));
        const nested = outer.transactional(async (inner) => {
          await insert(inner as SqlEntityManager, 'b', () => events.push('b'));
          throw new Error('not this one');
        });
        await rejectionOf(nested);
        await outer.transactional((inner) => insert(inner as SqlEntityManager, 'c', () => events.push('c')));
        expect(events).to.deep.equal([]);
      });
      expect([await codes(), events]).to.deep.equal([
        ['a', 'c'],
        ['a', 'c'],
      ]);
    });

    it('runs nothing once the transaction has ended', async () => {
      for (const fail of [false, true]) {
        let ended: SqlEntityManager | undefined;
        const transaction = em.fork().transactional(async (inside) => {
          ended = inside as SqlEntityManager;
          if (fail) throw new Error('no order today');
        });
        await transaction.catch(() => undefined);
        const { message } = await rejectionOf(insert(ended as SqlEntityManager, 'late'));
        expect(message).to.match(
          /^The transaction of the application has ended|^The entity manager has no open transaction/,
        );
      }
      expect(await codes()).to.deep.equal([]);
    });

    it('keeps the transaction from being committed while its own work has not ended', async () => {
      let work: Promise<Error> | undefined;
      const written = Promise.withResolvers<void>();
      const rollback = Promise.withResolvers<void>();
      em.getEventManager().registerSubscriber({ beforeTransactionRollback: async () => rollback.resolve() });
      const forgotten = em.fork().transactional(async (inside) => {
        inside.create(Order, { customer: 'Jane' });
        await inside.flush();
        work = rejectionOf(
          store.within(inside as SqlEntityManager).transaction(async (tables) => {
            await tables.of(SampleRecord).insert([sample({ code: 'half' })]);
            written.resolve();
            await rollback.promise;
            await tables.of(SampleRecord).insert([sample({ code: 'late' })]);
          }),
        );
        await written.promise;
      });
      expect((await rejectionOf(forgotten)).message).to.match(/^The transaction is not committed, because a call/);
      expect((await work)?.message).to.match(/^The transaction of the application has ended/);
      expect([await customers(), await codes()]).to.deep.equal([[], []]);
    });

    it('rejects an entity manager that has no open transaction', async () => {
      expect((await rejectionOf(insert(em.fork(), 'a'))).message).to.match(
        /has no open transaction: call within\(em\)/,
      );
      expect(await codes()).to.deep.equal([]);
    });

    it('is needed there: on one connection the store itself would wait for ever, and elsewhere it commits apart', async () => {
      const apart = em.fork().transactional(async () => {
        await store.transaction((tables) => tables.of(SampleRecord).insert([sample({ code: 'apart' })]));
        throw new Error('rolled back');
      });
      const { message } = await rejectionOf(apart);
      if (!traits.concurrent)
        expect(message).to.match(/^The application has a transaction open.*core\.with\(store\.within\(em\)\)/);
      else expect([message, await codes()]).to.deep.equal(['rolled back', ['apart']]);
    });

    it('sees what the application has written, and the application what it has', async () => {
      await em.fork().transactional(async (inside) => {
        await insert(inside as SqlEntityManager, 'a');
        const [row] = await inside
          .getConnection()
          .execute('select count(*) as n from horarium_sample_record', [], 'all', inside.getTransactionContext());
        expect(Number(row?.['n'])).to.equal(1);
      });
    });

    it('is left alone by the schema tools of the application', async () => {
      expect(await application.orm.schema.getUpdateSchemaSQL()).to.not.match(/horarium_/);
    });
  });
}

describe("A store on an application's MikroORM, in SQLite", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await databaseKinds.sqlite.create();
  });
  afterEach(() => database.drop());

  /** Inserts rows, each in a transaction of its own, and returns the codes of all. */
  async function insertEach(orm: MikroORM, codes: readonly string[]) {
    const store = await mikroOrmStore({ orm, tables: sampleTables });
    await store.schema.create();
    for (const code of codes)
      await orm.em
        .fork()
        .transactional((em) =>
          store
            .within(em as SqlEntityManager)
            .transaction((tables) => tables.of(SampleRecord).insert([sample({ code })])),
        );
    return store.transaction(async (tables) => (await tables.of(SampleRecord).find()).map(({ code }) => code));
  }

  it('prepares each statement once for the connection, although it runs in several transactions', async () => {
    const orm = await openShop(database.url);
    const handle = (await orm.em.getConnection().getNativeClient()) as Handle.Database;
    const prepared: string[] = [];
    const prepare = handle.prepare.bind(handle);
    handle.prepare = ((sql: string) => {
      prepared.push(sql);
      return prepare(sql);
    }) as typeof handle.prepare;
    expect(await insertEach(orm, ['a', 'b', 'c'])).to.deep.equal(['a', 'b', 'c']);
    expect(prepared.filter((sql) => /^insert into "horarium_sample_record"/.test(sql))).to.have.length(1);
    await orm.close();
  });

  it('works where the application has given MikroORM a dialect of Kysely', async () => {
    const handle = new Handle(readDatabaseUrl(database.url).file);
    const orm = await openShop(database.url, { driverOptions: new SqliteDialect({ database: handle }) });
    expect(await insertEach(orm, ['a', 'b'])).to.deep.equal(['a', 'b']);
    await orm.close();
    handle.close();
  });
});
