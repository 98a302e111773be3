import { expect } from 'chai';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { Child, child, SampleRecord, type SampleRow, type StoreFixture, sample } from './store-samples.ts';

export function storeRows(current: () => StoreFixture): void {
  const run: StoreFixture['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const insert = async (row: Partial<SampleRow>) => {
    const [id] = await run((tables) => tables.of(SampleRecord).insert([sample(row)]));
    return id as number;
  };
  const get = async (id: number) => {
    const [row] = await run((tables) => tables.of(SampleRecord).find({ where: [['id', '=', id]] }));
    return row as SampleRow;
  };

  describe('a row', () => {
    it('is read as it was written, with every column', async () => {
      const full = sample({
        code: 'a',
        label: 'Lapač 😀 \u{10FFFF} \n\t"\'\\',
        rank: Number.MAX_SAFE_INTEGER,
        weight: 0.1 + 0.2,
        open: false,
        seen_at: Date.UTC(2026, 2, 29, 1, 59, 59, 999),
        colour: 'blue',
        tags: ['one', 'ř', ''],
        extra: { z: 1, a: [null, true, { ok: 'é😀' }], 'key "x"': 1e-7 },
        bytes: Uint8Array.from({ length: 256 }, (_, at) => at),
      });
      const id = await insert(full);
      expect(await get(id)).to.deep.equal({ id, ...full });
      const empty = await insert({});
      expect(await get(empty)).to.deep.equal({ id: empty, ...sample() });
    });

    it('is read the same when it was written with others and when it was updated', async () => {
      const values: Partial<SampleRow> = {
        label: 'x\u0001y',
        rank: -Number.MAX_SAFE_INTEGER,
        weight: -1.5e300,
        seen_at: -1,
        extra: ['a'],
        bytes: Uint8Array.of(0, 255),
      };
      const ids = await run((tables) =>
        tables.of(SampleRecord).insert([sample(values), sample(values), sample(), sample()]),
      );
      await run(async (tables) => {
        const rows = await tables.of(SampleRecord).find();
        await tables.of(SampleRecord).update(rows.slice(2).map((row) => ({ row, set: values })));
      });
      for (const id of ids) expect(await get(id)).to.deep.equal({ ...sample(values), id });
    });

    it('keeps the order of keys, and the first and last instant', async () => {
      const id = await insert({ extra: { b: 1, a: 2, 1: 3 }, seen_at: Date.parse('0001-01-01T00:00:00Z') });
      expect(JSON.stringify((await get(id)).extra)).to.equal('{"1":3,"b":1,"a":2}');
      expect((await get(id)).seen_at).to.equal(Date.parse('0001-01-01T00:00:00Z'));
      const last = await insert({ seen_at: Date.parse('9999-12-31T23:59:59.999Z') });
      expect((await get(last)).seen_at).to.equal(Date.parse('9999-12-31T23:59:59.999Z'));
    });

    it('has U+FFFD where a text had NUL or a lone surrogate', async () => {
      const id = await insert({ label: 'a\0b\ud800c', tags: ['\0'], extra: { 'k\0': 'v\udfff\\u0000' } });
      const row = await get(id);
      expect(row.label).to.equal('a\ufffdb\ufffdc');
      expect(row.tags).to.deep.equal(['\ufffd']);
      expect(row.extra).to.deep.equal({ 'k\ufffd': 'v\ufffd\\u0000' });
      expect(await run((tables) => tables.of(SampleRecord).count([['label', '=', 'a\0b\ud800c']]))).to.equal(1);
    });

    it('may hold values of several megabytes', async () => {
      const label = 'ž😀'.repeat(300_000);
      const bytes = new Uint8Array(3_000_000).fill(7);
      const [id, other] = await run((tables) =>
        tables.of(SampleRecord).insert([sample({ label, bytes }), sample({ bytes })]),
      );
      const row = await get(id as number);
      expect(row.label === label).to.equal(true);
      expect(Buffer.compare(row.bytes as Uint8Array, bytes)).to.equal(0);
      expect((await get(other as number)).bytes).to.have.length(3_000_000);
    });

    it('cannot be changed except through the store', async () => {
      const given = sample({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) });
      const [id] = await run((tables) => tables.of(SampleRecord).insert([given]));
      given.tags.push('y');
      (given.extra as { deep: number[] }).deep.push(2);
      (given.bytes as Uint8Array)[0] = 9;
      const row = await get(id as number);
      row.code = 'changed';
      (row.bytes as Uint8Array)[0] = 8;
      const again = await get(id as number);
      expect(again).to.deep.equal({
        id,
        ...sample({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) }),
      });
    });

    it('is refused when a value does not fit its column, or the table has no such column', async () => {
      const wrong: [Record<string, unknown>, RegExp][] = [
        [{ rank: 'three' }, /rank/],
        [{ rank: 1.5 }, /rank/],
        [{ weight: Number.NaN }, /weight/],
        [{ seen_at: 8.64e15 }, /seen_at/],
        [{ open: null }, /open/],
        [{ label: 5 }, /label/],
        [{ bytes: 'text' }, /bytes/],
        [{ nothing: 1 }, /nothing/],
      ];
      for (const [values, named] of wrong)
        expect(await rejectionOf(run((tables) => tables.of(SampleRecord).insert([sample(values as never)])))).to.match(
          named,
        );
      expect(await run((tables) => tables.of(SampleRecord).count())).to.equal(0);
    });
  });

  describe('writing', () => {
    it('returns ids in the order of the rows, ascending', async () => {
      await run(async (tables) => {
        const ids = await tables
          .of(SampleRecord)
          .insert(Array.from({ length: 50 }, (_, rank) => sample({ rank: 100 - rank })));
        expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
        const rows = await tables.of(SampleRecord).find({ order: [['id', 'asc']] });
        expect(rows.map(({ id }) => id)).to.deep.equal(ids);
        expect(rows.map(({ rank }) => rank)).to.deep.equal(Array.from({ length: 50 }, (_, rank) => 100 - rank));
        expect(await tables.of(SampleRecord).insert([])).to.deep.equal([]);
      });
    });

    it('inserts, updates and deletes 10,000 rows at once', async () => {
      const count = 10_000;
      await run(async (tables) => {
        const samples = tables.of(SampleRecord);
        const ids = await samples.insert(
          Array.from({ length: count }, (_, rank) => sample({ rank, code: `c${rank}` })),
        );
        expect(new Set(ids).size).to.equal(count);
        const again = await samples.insertAbsent(
          Array.from({ length: count }, (_, at) => sample({ code: `c${at * 2}` })),
          ['code'],
        );
        expect(again.filter((id) => id === null)).to.have.length(count / 2);
        const rows = await samples.find({ where: [['id', 'in', ids]] });
        const changed = await samples.update(
          rows.map((row) => ({ row, set: { rank: -(row.rank as number), revision: 2 } })),
        );
        expect(changed).to.deep.equal(ids);
        expect(await samples.count([['rank', '<', 0]])).to.equal(count - 1);
        expect(await samples.updateWhere([['revision', '=', 2]], { label: 'x' })).to.equal(count);
        expect(await samples.delete([['label', '=', 'x']])).to.have.length(count);
        expect(await samples.count()).to.equal(count / 2);
      });
    });

    it('updates only the columns and rows that are given', async () => {
      const [one, two] = await run((tables) =>
        tables.of(SampleRecord).insert([sample({ code: 'a', rank: 1 }), sample({ code: 'b', rank: 1 })]),
      );
      await run(async (tables) => {
        const rows = await tables.of(SampleRecord).find();
        const sets = [{ label: 'first' }, { rank: null, colour: 'red' as const }];
        expect(
          await tables.of(SampleRecord).update(rows.map((row, at) => ({ row, set: sets[at] as object }))),
        ).to.deep.equal([one, two]);
        expect(await tables.of(SampleRecord).updateWhere([['rank', '=', null]], { open: false })).to.equal(1);
      });
      expect(await get(one as number)).to.deep.equal({ id: one, ...sample({ code: 'a', rank: 1, label: 'first' }) });
      expect(await get(two as number)).to.deep.equal({ id: two, ...sample({ code: 'b', colour: 'red', open: false }) });
    });

    it('does not update a row that is at another revision, or deleted', async () => {
      const ids = await run((tables) => tables.of(SampleRecord).insert([sample(), sample(), sample()]));
      const rows = await run((tables) => tables.of(SampleRecord).find());
      await run((tables) => tables.of(SampleRecord).updateWhere([['id', '=', ids[0] as number]], { revision: 2 }));
      await run((tables) => tables.of(SampleRecord).delete([['id', '=', ids[1] as number]]));
      await run(async (tables) => {
        const set = { label: 'new', revision: 2 };
        expect(await tables.of(SampleRecord).update(rows.map((row) => ({ row, set })))).to.deep.equal([ids[2]]);
        expect(await tables.of(SampleRecord).update([{ row: rows[0] as SampleRow, set }])).to.deep.equal([]);
        expect(await tables.of(SampleRecord).update([{ row: rows[0] as SampleRow, set: {} }])).to.deep.equal([]);
      });
      expect((await get(ids[0] as number)).label).to.equal(null);
    });

    it('updates rows of a table without revisions by their ids', async () => {
      const id = await insert({});
      await run(async (tables) => {
        await tables.of(Child).insert([child(id, { number: 1 }), child(id, { number: 2 })]);
        const rows = await tables.of(Child).find();
        expect(await tables.of(Child).update(rows.map((row) => ({ row, set: { part: row.number } })))).to.have.length(
          2,
        );
        expect(
          await tables.of(Child).update(rows.slice(0, 1).map((row) => ({ row, set: { title: 'T' } }))),
        ).to.have.length(1);
        expect((await tables.of(Child).find()).map(({ part, title }) => [part, title])).to.deep.equal([
          [1, 'T'],
          [2, 'A child'],
        ]);
      });
    });

    it('rejects to update one row twice in one call, or its id', async () => {
      const row = await get(await insert({}));
      const twice = [
        { row, set: { rank: 1 } },
        { row, set: { rank: 2 } },
      ];
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).update(twice)))).to.match(/twice/);
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).updateWhere([], { id: 5 })))).to.match(/id/);
    });

    it('returns deleted rows as they were', async () => {
      const [, second] = await run((tables) =>
        tables.of(SampleRecord).insert([sample({ rank: 1 }), sample({ rank: 2, tags: ['t'] })]),
      );
      const deleted = await run((tables) => tables.of(SampleRecord).delete([['rank', '=', 2]]));
      expect(deleted).to.deep.equal([{ id: second, ...sample({ rank: 2, tags: ['t'] }) }]);
      expect(await run((tables) => tables.of(SampleRecord).count())).to.equal(1);
    });
  });
}
