import { allTables, describeFields, flag, integer, type TableDescription, text, texts } from '@horarium/core';
import type { AnyRow } from '@horarium/core/store';
import { Migration } from '@mikro-orm/migrations';
import { expect } from 'chai';
import { mikroOrmStore } from '../../../adapters/mikro-orm/application-store.ts';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import type { MigrationEntry } from '../../../adapters/mikro-orm/schema/schema.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { fillerRow, fillTables } from '../../support/store/filler-rows.ts';
import { databaseKinds, type TestDatabase } from '../../support/store/test-databases.ts';
import { writtenMigration } from '../../support/store/written-migration.ts';

type Change = (table: TableDescription) => TableDescription;

/** Changes some tables of the product as a later version would. */
function changed(changes: Readonly<Record<string, Change>>): TableDescription[] {
  return allTables.map((table) => changes[table.name]?.(table) ?? table);
}

const withFields =
  (fields: Parameters<typeof describeFields>[0]): Change =>
  (table) => ({ ...table, columns: [...table.columns, ...describeFields(fields)] });

const without =
  (...names: string[]): Change =>
  (table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !names.includes(name)),
    indexes: table.indexes.filter((group) => !group.some((name) => names.includes(name))),
  });

const nullable =
  (field: string): Change =>
  (table) => ({
    ...table,
    columns: table.columns.map((column) => (column.name === field ? { ...column, nullable: true } : column)),
  });

const both =
  (...changes: Change[]): Change =>
  (table) =>
    changes.reduce((result, change) => change(result), table);

const tableOf = (tables: readonly TableDescription[], name: string) =>
  tables.find((table) => table.name === name) as TableDescription;

const later = changed({
  // Columns are added, with a value for the rows that exist.
  App: withFields({
    colour: text(20).default("it's red"),
    note: text(20),
    kept: flag(true),
    level: integer().default(-7),
    marks: texts(20),
  }),
  // Indexes go and come.
  Company: (table) => ({ ...table, indexes: [...table.indexes.filter(([name]) => name !== 'enabled'), ['email']] }),
  // SQLite rebuilds the tables below: a column changes, or one with a foreign key goes.
  AuditLog: both(nullable('channel'), without('request_id'), withFields({ weight: integer().default(3) })),
  Job: both(without('event_id'), nullable('trigger')),
  RunTemplate: nullable('name'),
});

class Migration99990101000000_dropping extends Migration {
  override up(): void {
    this.addSql('delete from horarium_company');
  }
}
const dropping = {
  name: Migration99990101000000_dropping.name,
  load: async () => Migration99990101000000_dropping,
};

for (const { kind, title } of ormDatabases) {
  describe(`A change of the tables on ${title}`, () => {
    let database: TestDatabase;
    const opened: SqlStore[] = [];
    const open = async (tables: readonly TableDescription[], migrations: readonly MigrationEntry[] = []) => {
      const store = (await openStore({
        url: database.url,
        tables,
        synchronous: 'normal',
        furtherMigrations: { [kind]: migrations },
      })) as SqlStore;
      opened.push(store);
      return store;
    };
    const written = async (tables: readonly TableDescription[], name = 'change') =>
      writtenMigration(await open(tables), name);

    /** Returns an entry of the audit log that is not sealed. */
    const entryOf = (table: TableDescription) => fillerRow(table, { index: 0, ids: new Map() });

    /** Returns the rows of a table as the given description has them. */
    const rowsOf = (store: SqlStore, table: TableDescription) =>
      store.transaction((tables) => tables.of(table).find({ order: [['id', 'asc']] }), { readOnly: true }) as Promise<
        AnyRow[]
      >;

    beforeEach(async () => {
      database = await databaseKinds[kind].create();
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      await database.drop();
    });

    it('keeps all rows, and gives new columns their defaults', async () => {
      const before = await open(allTables);
      await before.schema.migrate();
      await fillTables(before, allTables);
      const old = await Promise.all(allTables.map((table) => rowsOf(before, table)));
      const after = await open(later, [await written(later)]);
      expect(await after.schema.migrate()).to.have.length(1);
      expect(await after.schema.hasDrifted()).to.equal(false);
      for (const [index, table] of later.entries()) {
        const names = new Set(table.columns.map(({ name }) => name));
        const added = table.columns.filter(({ name }) => !allTables[index]?.columns.some((each) => each.name === name));
        const expected = old[index]?.map((row) => ({
          ...Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))),
          ...Object.fromEntries(added.map((column) => [column.name, column.default])),
        }));
        expect(await rowsOf(after, table), table.name).to.deep.equal(expected);
      }
    });

    it('keeps triggers, foreign keys, unique keys and the highest id', async () => {
      const before = await open(allTables);
      await before.schema.migrate();
      await fillTables(before, allTables);
      const oldAudit = tableOf(allTables, 'AuditLog');
      const [jobs, audit, output] = ['Job', 'AuditLog', 'JobOutput'].map((name) => tableOf(later, name)) as [
        TableDescription,
        TableDescription,
        TableDescription,
      ];
      const [first, , highest] = await rowsOf(before, output);
      // Behind the checkpoint, which is filled, too.
      const behind = { ...entryOf(oldAudit), nonce: 'behind', seq: 99, hash: 'x' };
      await before.transaction((tables) => tables.of(oldAudit).insert([behind]));
      await before.transaction((tables) => tables.of(oldAudit).insert([{ ...entryOf(oldAudit), nonce: 'last' }]));
      await before.transaction((tables) => tables.of(oldAudit).delete([['nonce', '=', 'last']]));
      const after = await open(later, [await written(later)]);
      await after.schema.migrate();
      const [sealed] = (await rowsOf(after, audit)).filter(({ seq }) => seq === behind.seq);
      const write = (work: Parameters<SqlStore['transaction']>[0]) => after.transaction(work);
      expect(
        await rejectionOf(write((tables) => tables.of(audit).updateWhere([['id', '=', sealed?.id]], { actor: 'x' }))),
      ).to.match(/sealed entry.*refuses update/i);
      expect(await rejectionOf(write((tables) => tables.of(audit).delete([['id', '=', sealed?.id]])))).to.match(
        /sealed entry.*refuses delete/i,
      );
      expect(await rejectionOf(write((tables) => tables.of(jobs).delete([['id', '=', first?.['job_id']]])))).to.match(
        /still referenced/,
      );
      expect(
        await rejectionOf(write((tables) => tables.of(output).insert([{ ...highest, job_id: 999, seq: 9 }]))),
      ).to.match(/does not exist/);
      const [id] = (await write((tables) =>
        tables.of(audit).insert([{ ...entryOf(audit), nonce: 'next' }]),
      )) as number[];
      expect(id).to.equal(6);
    });

    it('keeps all rows in the database of an application too, by its own connections', async () => {
      const before = await open(allTables);
      await before.schema.migrate();
      await fillTables(before, allTables);
      const furtherMigrations = { [kind]: [await written(later)] };
      for (const store of opened.splice(0)) await store.close();
      const options = { entities: [], discovery: { warnWhenNoEntities: false } };
      const orm = await databaseKinds[kind].openOrm(database.url, options);
      const store = await mikroOrmStore({ orm, tables: later, furtherMigrations });
      expect(await store.schema.migrate()).to.have.length(1);
      expect(await store.schema.hasDrifted()).to.equal(false);
      for (const table of later) expect(await rowsOf(store, table), table.name).to.have.length(3);
      const [company] = await rowsOf(store, tableOf(later, 'Company'));
      const removal = store.transaction((tables) =>
        tables.of(tableOf(later, 'Company')).delete([['id', '=', company?.id]]),
      );
      expect(await rejectionOf(removal)).to.match(/still referenced/);
      await orm.close();
    });

    it('is refused where existing rows would have no value, before a file is written', async () => {
      await (await open(allTables)).schema.migrate();
      for (const tables of [
        changed({ App: withFields({ colour: text(20).required() }) }),
        changed({ AuditLog: both(nullable('channel'), withFields({ colour: text(20).required() })) }),
      ])
        expect((await rejectionOf(written(tables))).message).to.equal(
          'Existing rows have no value for the new column colour: give its field a default, or let it be null.',
        );
    });

    it('is undone where it would leave references to rows that do not exist', async () => {
      const before = await open(allTables);
      await before.schema.migrate();
      await fillTables(before, allTables);
      const { schema } = await open(allTables, [dropping]);
      expect(await rejectionOf(schema.migrate())).to.match(/refer to missing ones|foreign key constraint/);
      expect(await schema.pending()).to.deep.equal([dropping.name]);
      expect(await rowsOf(before, tableOf(allTables, 'Company'))).to.have.length(3);
    });

    it('writes nothing where nothing differs', async () => {
      const store = await open(allTables);
      await store.schema.migrate();
      expect(await store.schema.writeMigration('/nowhere', 'nothing')).to.deep.equal([]);
    });
  });
}
