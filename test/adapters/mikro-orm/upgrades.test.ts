import { join } from 'node:path';
import { Topic, WorkerLease } from '@horarium/core';
import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { expect } from 'chai';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { RowMigration } from '../../../adapters/mikro-orm/schema/row-migration.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import { fillerRow } from '../../support/store/filler-rows.ts';
import { setClockAhead } from '../../support/store/set-clock-ahead.ts';
import { databaseKinds, type TestDatabase } from '../../support/store/test-databases.ts';

class Migration99990101000000_later extends Migration {
  override up(): void {
    this.addSql('create table "horarium_later" ("id" integer)');
  }
}

const batches: number[] = [];
const parameters = { sqlite: ['?', '?'], postgresql: ['$1', '$2'] };
let database: TestDatabase & { readonly kind: keyof typeof parameters };

class Migration99990101000000_rows extends RowMigration {
  override async up(): Promise<void> {
    await this.eachBatch(
      'horarium_topic',
      ['name'],
      async (rows) => {
        batches.push(rows.length);
        const [description, key] = parameters[database.kind];
        const sql = `update horarium_topic set description = ${description} where id = ${key}`;
        for (const { id, name } of rows) await this.run(sql, [`was ${name}`, id]);
      },
      10,
    );
  }
}

for (const { kind, title } of ormDatabases) {
  describe(`An upgrade on ${title}`, () => {
    const opened: SqlStore[] = [];

    /** Opens the store as a version does that has a migration more, or as this one. */
    const open = async (later?: Constructor<Migration>) => {
      const more = later ? [{ name: later.name, load: async () => later }] : [];
      const furtherMigrations = { [kind]: more };
      const store = (await openStore({ url: database.url, synchronous: 'normal', furtherMigrations })) as SqlStore;
      opened.push(store);
      return store;
    };
    /** Registers the worker of another process, with a lease that ends in that many milliseconds. */
    const addLease = async (store: SqlStore, left: number, name = 'a:7:x') =>
      store.transaction(async (tables) => {
        const lease = { name, host: 'a', pid: 7, lease_until: (await tables.now()) + left };
        const filler = fillerRow(WorkerLease, { index: 0, ids: new Map() }) as never as object;
        await tables.of(WorkerLease).delete([['name', '=', name]]);
        await tables.of(WorkerLease).insert([{ ...filler, ...lease } as never]);
      });
    const refusal =
      'The database needs migrations, and an older version works on it (process 7 on a): stop that first (horarium help upgrade).';

    beforeEach(async () => {
      database = { kind, ...(await databaseKinds[kind].create()) };
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      await database.drop();
    });

    it('tells what runs, but not on a new database', async () => {
      const told: string[] = [];
      await (await open()).schema.migrate((progress) => told.push(progress));
      expect(told).to.deep.equal([]);
      const { schema } = await open(Migration99990101000000_later);
      await schema.migrate((progress) => told.push(progress));
      expect(told).to.deep.equal(['migration 1 of 1: Migration99990101000000_later']);
    });

    it('changes rows in batches, and tells how far it is', async () => {
      const before = await open();
      await before.schema.migrate();
      const topics = Array.from({ length: 95 }, (_, index) => fillerRow(Topic, { index: index + 1, ids: new Map() }));
      await before.transaction((tables) => tables.of(Topic).insert(topics as never));
      const told: string[] = [];
      batches.length = 0;
      const after = await open(Migration99990101000000_rows);
      await after.schema.migrate((progress) => told.push(progress));
      expect(batches).to.deep.equal([...Array(9).fill(10), 5]);
      expect(told.slice(0, 3)).to.deep.equal([
        'migration 1 of 1: Migration99990101000000_rows',
        '10 of 95 rows of horarium_topic',
        '20 of 95 rows of horarium_topic',
      ]);
      expect(told.at(-1)).to.equal('95 of 95 rows of horarium_topic');
      const rows = await after.transaction((tables) => tables.of(Topic).find({}), { readOnly: true });
      expect(rows.every(({ name, description }) => description === `was ${name}`)).to.equal(true);
    });

    it('is refused while a worker of an older version renews its lease', async () => {
      const older = await open();
      await older.schema.migrate();
      await addLease(older, 60_000);
      const { schema } = await open(Migration99990101000000_later);
      const told: string[] = [];
      const renewal = Promise.withResolvers<void>();
      const refused = rejectionOf(
        schema.migrate((progress) => {
          told.push(progress);
          addLease(older, 70_000).then(renewal.resolve, renewal.reject);
        }),
      );
      await renewal.promise;
      expect(await refused).to.deep.include({ code: 'unavailable', message: refusal });
      expect(told).to.deep.equal(['waiting until these leases end: a:7:x']);
      expect(await schema.pending()).to.have.length(1);
    });

    it('is refused when another worker registers while it waits for the lease of a dead one', async () => {
      const older = await open();
      await older.schema.migrate();
      await addLease(older, 60_000);
      const { schema } = await open(Migration99990101000000_later);
      const refused = rejectionOf(schema.migrate(() => void addLease(older, 60_000, 'a:7:y')));
      expect((await refused).message).to.include('process 7 on a, process 7 on a');
    });

    it('goes on when the leases of workers that died have ended', async () => {
      const older = await open();
      await older.schema.migrate();
      await addLease(older, 1000);
      const { schema } = await open(Migration99990101000000_later);
      const told: string[] = [];
      expect(await schema.migrate((progress) => told.push(progress))).to.have.length(1);
      expect(told).to.deep.equal([
        'waiting until these leases end: a:7:x',
        'migration 1 of 1: Migration99990101000000_later',
      ]);
    });

    it('takes a lease for live by the time of the service where the clock has jumped', async () => {
      const older = await open();
      await older.schema.migrate();
      await setClockAhead(older, 3_600_000);
      await addLease(older, -3_590_000);
      const { schema } = await open(Migration99990101000000_later);
      const refused = rejectionOf(schema.migrate(() => void addLease(older, -3_580_000)));
      expect((await refused).message).to.equal(refusal);
    });

    it('happens once where several hosts of the newer version start together', async () => {
      await (await open()).schema.migrate();
      const newer = await Promise.all(Array.from({ length: 3 }, () => open(Migration99990101000000_later)));
      const applied = await Promise.all(
        newer.map(async (store) => {
          const names = await store.schema.migrate();
          await addLease(store, 60_000, `b:${opened.indexOf(store)}`);
          return names;
        }),
      );
      expect(applied.flat()).to.have.length(1);
    });

    it('leaves the store as it was when the process is killed half way', async () => {
      const before = await open();
      await before.schema.migrate();
      const topic = fillerRow(Topic, { index: 1, ids: new Map() });
      const [id] = await before.transaction((tables) => tables.of(Topic).insert([topic as never]));
      const program = join(import.meta.dirname, 'killed-migration.js');
      const killed = new SpawnedProgram([database.url], { folder: import.meta.dirname, environment: {} }, { program });
      await killed.waitForOutput(/half way/);
      killed.process.kill('SIGKILL');
      await killed.ended;
      const after = await open();
      expect(await after.schema.pending()).to.deep.equal([]);
      expect(await after.schema.hasDrifted()).to.equal(false);
      const [row] = await after.transaction((tables) => tables.of(Topic).find({}), { readOnly: true });
      expect(row).to.deep.equal({ ...topic, id });
      expect(await (await open(Migration99990101000000_later)).schema.migrate()).to.have.length(1);
    });
  });
}
