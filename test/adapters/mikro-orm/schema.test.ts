import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog, allTables, type RowOfTable, type TableDescription } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { Migration } from '@mikro-orm/migrations';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { AuditCheckpoint } from '#core/audit/archive/checkpoint';
import { postgresqlMigrations } from '../../../adapters/mikro-orm/dialects/postgresql/migrations/index.ts';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { sqliteMigrations } from '../../../adapters/mikro-orm/dialects/sqlite/migrations/index.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import type { MigrationEntry } from '../../../adapters/mikro-orm/schema/schema.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { administer, createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';

interface TestDatabase {
  open(migrations?: readonly MigrationEntry[]): Promise<SqlStore>;
  /** Executes a statement on a connection of its own. */
  execute(sql: string): Promise<unknown>;
  remove(): Promise<void>;
}

async function sqlite(): Promise<TestDatabase> {
  const folder = temporaryFolder('schema');
  const file = join(folder, 'new', 'folder', 'a.sqlite');
  return {
    open: (migrations = sqliteMigrations) =>
      openSqliteStore({ file, tables: allTables, clock: new StandingClock(), migrations }),
    execute: async (sql) => {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    },
    remove: async () => {
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(statSync(join(folder, 'new')).mode & 0o777).to.equal(0o700);
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgres(): Promise<TestDatabase> {
  const url = await createDatabase();
  return {
    open: (migrations = postgresqlMigrations) => openPostgresStore({ url, tables: allTables, migrations }),
    execute: (sql) => administer(url, sql),
    remove: () => dropDatabase(url),
  };
}

/** A migration that only a newer version has. */
class Migration99990101000000_newer extends Migration {
  override name = 'Migration99990101000000_newer';

  override up(): void {
    this.addSql('create table "newer" ("id" integer)');
  }
}

class Migration99990101000001_broken extends Migration {
  override name = 'Migration99990101000001_broken';

  override up(): void {
    this.addSql('create table "half" ("id" integer)');
    this.addSql('create table "half" ("id" integer)');
  }
}

/** The first migration of the previews, from before all migrations became one. */
class Migration20261121082951_initial extends Migration {
  override name = 'Migration20261121082951_initial';

  override up(): void {
    this.addSql('create table "run_template" ("id" integer, "cipher_key" text)');
  }
}

const preview = {
  name: 'Migration20261121082951_initial',
  load: async () => Migration20261121082951_initial,
};
const newer = {
  name: 'Migration99990101000000_newer',
  load: async () => Migration99990101000000_newer,
};
const broken = {
  name: 'Migration99990101000001_broken',
  load: async () => Migration99990101000001_broken,
};

for (const [name, make, migrations] of [
  ['SQLite', sqlite, sqliteMigrations],
  ['PostgreSQL', postgres, postgresqlMigrations],
] as const) {
  describe(`The schema on ${name}`, () => {
    let database: TestDatabase;
    const opened: SqlStore[] = [];
    const open = async (list?: readonly MigrationEntry[]) => {
      const store = await database.open(list);
      opened.push(store);
      return store;
    };

    beforeEach(async () => {
      database = await make();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
      await database.remove();
    });

    it('equals the table descriptions after all migrations', async () => {
      const { schema } = await open();
      expect(await schema.pending()).to.deep.equal(migrations.map((migration) => migration.name));
      expect(await schema.migrate()).to.deep.equal(migrations.map((migration) => migration.name));
      expect(await schema.pending()).to.deep.equal([]);
      expect(await schema.hasDrifted()).to.equal(false);
      expect(await schema.migrate()).to.deep.equal([]);
    });

    it('is migrated once when several processes start together', async () => {
      const stores = await Promise.all(Array.from({ length: 4 }, () => open()));
      const made = await Promise.all(stores.map(({ schema }) => schema.migrate()));
      expect(made.flat()).to.deep.equal(migrations.map((migration) => migration.name));
      for (const { schema } of stores) expect(await schema.pending()).to.deep.equal([]);
    });

    it('rejects a database that a newer version has migrated', async () => {
      await (await open([...migrations, newer])).schema.migrate();
      const older = (await open()).schema;
      for (const refusal of [await rejectionOf(older.pending()), await rejectionOf(older.migrate())]) {
        expect(refusal).to.have.property('code', 'unavailable');
        expect(refusal.message).to.match(/Migration99990101000000_newer.*newer version/);
      }
    });

    it('rejects a database of a preview whose migrations were never released', async () => {
      await (await open([preview])).schema.migrate();
      await database.execute('drop table "horarium_migrations"');
      const { schema } = await open();
      for (const refusal of [await rejectionOf(schema.pending()), await rejectionOf(schema.migrate())]) {
        expect(refusal).to.have.property('code', 'unavailable');
        expect(refusal.message).to.match(/made by a preview .*empty database/);
      }
    });

    it('stays unchanged when a migration fails', async () => {
      await (await open()).schema.migrate();
      const { schema } = await open([...migrations, newer, broken]);
      expect(await rejectionOf(schema.migrate())).to.match(/half/);
      expect(await schema.pending()).to.have.length(2);
      expect(await schema.hasDrifted()).to.equal(false);
    });

    it('rejects updates and deletes of sealed audit entries, and the removal of all', async () => {
      const store = await open();
      await store.schema.migrate();
      const [open_, sealed] = await store.transaction((tables) =>
        tables.of(AuditLog).insert([entry({ nonce: 'a' }), entry({ nonce: 'b', seq: 1, hash: 'h' })]),
      );
      const update = (id: number) =>
        store.transaction((tables) => tables.of(AuditLog).updateWhere([['id', '=', id]], { actor: 'someone else' }));
      const remove = (id: number) => store.transaction((tables) => tables.of(AuditLog).delete([['id', '=', id]]));
      expect(await rejectionOf(update(sealed as number))).to.match(/sealed entry.*refuses update/i);
      expect(await rejectionOf(remove(sealed as number))).to.match(/sealed entry.*refuses delete/i);
      const all = name === 'PostgreSQL' ? 'truncate horarium_audit_log' : 'delete from horarium_audit_log';
      expect(await rejectionOf(database.execute(all))).to.match(/audit log refuses (truncation|delete)/i);
      expect(await update(open_ as number)).to.equal(1);
      expect(await remove(open_ as number)).to.have.length(1);
    });

    it('lets audit entries go up to the checkpoint, which goes on, and rejects that it moves back or goes', async () => {
      const store = await open();
      await store.schema.migrate();
      const ids = await store.transaction((tables) =>
        tables.of(AuditLog).insert([1, 2, 3].map((seq) => entry({ nonce: `${seq}`, seq, hash: 'h' }))),
      );
      const remove = (id: number) => store.transaction((tables) => tables.of(AuditLog).delete([['id', '=', id]]));
      const move = (seq: number) =>
        store.transaction((tables) => tables.of(AuditCheckpoint).updateWhere([], { seq, hash: 'h', mac: 'm' }));
      await store.transaction((tables) => tables.of(AuditCheckpoint).insert([{ seq: 1, hash: 'h', mac: 'm' }]));
      expect(await remove(ids[0] as number)).to.have.length(1);
      expect(await rejectionOf(remove(ids[1] as number))).to.match(/sealed entry.*refuses delete/i);
      expect(await move(2)).to.equal(1);
      expect(await remove(ids[1] as number)).to.have.length(1);
      expect(await rejectionOf(remove(ids[2] as number))).to.match(/sealed entry.*refuses delete/i);
      for (const seq of [1, 2]) expect(await rejectionOf(move(seq))).to.match(/checkpoint .* refuses to move back/);
      for (const sql of name === 'PostgreSQL' ? ['delete from', 'truncate'] : ['delete from'])
        expect(await rejectionOf(database.execute(`${sql} horarium_audit_checkpoint`))).to.match(
          /refuses (delete|truncation)/,
        );
    });
  });
}

const filler: Readonly<Record<string, unknown>> = { json: {}, text: 'x', flag: false };

/** An entry of the audit log, whatever columns it has. */
function entry(some: Partial<RowOfTable<typeof AuditLog>>): Omit<RowOfTable<typeof AuditLog>, 'id'> {
  const initial: Record<string, unknown> = {};
  for (const { name, kind, nullable, values } of (AuditLog as TableDescription).columns)
    if (name !== 'id') initial[name] = nullable ? null : (filler[kind] ?? values?.[0] ?? 1);
  return { ...initial, ...some } as Omit<RowOfTable<typeof AuditLog>, 'id'>;
}
