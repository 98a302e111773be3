import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { insertKeys, servers, TableReader, type TestTable } from './changes-tables.ts';

const never = new AbortController().signal;

for (const server of Object.values(servers))
  describe(`A changes table in ${server.name}`, () => {
    let table: TestTable;

    before(async function () {
      if (!server.isPresent) this.skip();
      await server.start();
    });
    after(async () => {
      if (server.isPresent) await server.stop();
    });
    beforeEach(async () => {
      table = await server.create();
    });
    afterEach(() => table?.close());

    it('is read in the order of its keys, with every column as text', async () => {
      await table.run(insertKeys(1, 2));
      const reader = new TableReader(table);
      const [first, ...others] = await reader.changes(1);
      expect(others).to.have.length(1);
      expect(first).to.deep.equal({
        key: '1',
        evidence: 'order',
        operation: 'create',
        recordId: 'r1',
        payload: {
          inversion: '1',
          recordid: 'r1',
          evidence: 'order',
          operation: 'create',
          externalids: '["o1"]',
          created: null,
          source: null,
          target: null,
        },
      });
      await table.run(insertKeys(3));
      expect(await reader.keys()).to.deep.equal(['3']);
      expect(reader.warning).to.equal(undefined);
    });

    it('has keys beyond 2^53 read exactly', async () => {
      const keys = [9007199254740992n, 9007199254740993n, 9007199254740994n, 9223372036854775806n];
      await table.run(insertKeys(...keys));
      const reader = new TableReader(table, { gap_wait: 0 });
      expect(await reader.keys(1)).to.deep.equal(keys.map(String));
      await table.run(insertKeys(9223372036854775807n));
      expect(await reader.keys()).to.deep.equal(['9223372036854775807']);
    });

    it('has a row after a missing key read only when the key had the time to be committed', async () => {
      await table.run(insertKeys(1, 3));
      expect(await new TableReader(table, { gap_wait: 3600 }).keys()).to.deep.equal(['1']);
      expect(await new TableReader(table, { gap_wait: 0 }).keys()).to.deep.equal(['1', '3']);
      const patient = new TableReader(table, { gap_wait: 1 });
      expect(await patient.keys()).to.deep.equal(['1']);
      // Each key after a gap waits for its own time, and not for those before it.
      await table.run(insertKeys(5, 7, 9));
      const read: string[] = [];
      await eventually('the rows after the gaps are read', async () => read.push(...(await patient.keys(2))) === 4);
      expect(read).to.deep.equal(['3', '5', '7', '9']);
      expect(patient.cursor).to.equal('9');
    });

    if (server.isConcurrent)
      it('is read without a loss while transactions commit in another order than that of their keys', async () => {
        const writers = await Promise.all(Array.from({ length: 4 }, () => table.connect()));
        const reader = new TableReader(table);
        const read: string[] = [];
        for (const [index, writer] of writers.entries()) {
          await writer.run('begin');
          await writer.run(insertKeys(index + 1));
        }
        // The last key commits first, and one is rolled back.
        for (const index of [3, 1]) await writers[index]?.run('commit');
        expect(await reader.keys()).to.deep.equal([]);
        await writers[0]?.run('commit');
        read.push(...(await reader.keys()));
        expect(read).to.deep.equal(['1', '2']);
        await writers[2]?.run('commit');
        read.push(...(await reader.keys()));
        expect(read).to.deep.equal(['1', '2', '3', '4']);
        await Promise.all(writers.map((writer) => writer.close()));
      });

    it('loses what was read and acknowledged when delete_processed is set, and nothing else', async () => {
      await table.run(`${insertKeys(1, 2, 4)}`);
      const reader = new TableReader(table, { gap_wait: 0, delete_processed: true });
      const source = await reader.open();
      const { cursor } = await source.read(null, 2, never);
      const keys = async () =>
        (await table.rows('select inversion from changes_cache order by inversion')).map(
          (row) => `${row['inversion']}`,
        );
      expect(await keys()).to.deep.equal(['1', '2', '4']);
      await source.acknowledge?.(cursor as string, never);
      expect(await keys()).to.deep.equal(['4']);
      // A key that was committed after the time it had stays: it was never read.
      const next = await source.read(cursor, 2, never);
      await table.run(insertKeys(3));
      await source.acknowledge?.(next.cursor as string, never);
      await source.acknowledge?.(next.cursor as string, never);
      expect(await keys()).to.deep.equal(['3']);
      await source.close();
    });

    it('is not written to unless delete_processed is set', async () => {
      await table.run(insertKeys(1));
      await new TableReader(table).keys();
      expect(await table.rows('select recordid from changes_cache')).to.have.length(1);
    });

    it('has rows whose values are too long set aside with the reason, and never deleted', async () => {
      await table.run(insertKeys(1, 2));
      const large =
        server === servers.sqlite
          ? "'[\"' || hex(zeroblob(5000000)) || '\"]'"
          : "concat('[\"', repeat('x', 10000000), '\"]')";
      await table.run(`update changes_cache set externalids = ${large} where inversion = 1`);
      const reader = new TableReader(table, { delete_processed: true });
      const [first, second] = await reader.changes();
      expect(first?.problem).to.equal('its externalids has 10000004 bytes, and at most 1048576 are read');
      expect(first?.payload['externalids']).to.equal(null);
      expect(first?.recordId).to.equal('r1');
      expect(second?.problem).to.equal(undefined);
      expect(await table.rows('select recordid from changes_cache')).to.deep.equal([{ recordid: 'r1' }]);
    });

    it('has few rows in a batch where they are large', async () => {
      await table.run(insertKeys(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
      const large = server === servers.sqlite ? 'hex(zeroblob(500000))' : "repeat('x', 1000000)";
      await table.run(`update changes_cache set externalids = ${large}`);
      const source = await new TableReader(table).open();
      const { changes } = await source.read(null, 500, never);
      expect(changes).to.have.length(8);
      await source.close();
    });

    it('tells of rows without a key, and reads the others', async () => {
      await table.run('drop table changes_cache');
      await table.run(
        'create table changes_cache (inversion bigint, recordid text, evidence text, operation text, externalids text, created text, source text, target text)',
      );
      await table.run(insertKeys(1, 2));
      await table.run("insert into changes_cache (recordid) values ('lost'), ('lost too')");
      const reader = new TableReader(table);
      expect(await reader.keys()).to.deep.equal(['1', '2']);
      expect(reader.warning).to.equal('2 rows of changes_cache have no inversion, and are never read');
    });

    it('tells when its keys begin again', async () => {
      await table.run(insertKeys(1, 2, 3));
      const reader = new TableReader(table);
      await reader.keys();
      await table.run('delete from changes_cache');
      await reader.keys();
      expect(reader.warning).to.equal(undefined);
      await table.run(insertKeys(1));
      expect(await reader.keys()).to.deep.equal([]);
      expect(reader.warning).to.match(
        /^the largest inversion of changes_cache is 1, and 3 was read already: if its keys begin again, it must become another event source$/,
      );
    });

    it('is not read where a column is missing, or its key is no number, which a sentence says', async () => {
      const failure = async () => (await rejectionOf(new TableReader(table).keys())).message;
      await table.run('alter table changes_cache drop column evidence');
      expect(await failure()).to.match(
        /no such column: t\.evidence|column t\.evidence does not exist|Unknown column 't\.evidence'/,
      );
      await table.run('drop table changes_cache');
      expect(await failure()).to.match(/no such table|does not exist|doesn't exist/);
      await table.run(
        'create table changes_cache (inversion varchar(20), recordid text, evidence text, operation text, externalids text, created text, source text, target text)',
      );
      expect(await failure()).to.equal('inversion of changes_cache is no number, so its changes have no order');
    });

    it('goes on where it was when it goes away in the middle of its batches', async () => {
      await table.run(insertKeys(...Array.from({ length: 10 }, (_, index) => index + 1)));
      const reader = new TableReader(table);
      const source = await reader.open();
      reader.cursor = (await source.read(null, 4, never)).cursor;
      await table.run('alter table changes_cache rename to elsewhere');
      expect(await rejectionOf(source.read(reader.cursor, 4, never))).to.be.an('error');
      await source.close();
      await table.run('alter table elsewhere rename to changes_cache');
      expect(await reader.keys()).to.deep.equal(['5', '6', '7', '8', '9', '10']);
    });
  });
