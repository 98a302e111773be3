import { expect } from 'chai';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { Book, book, Shelf, type ShelfRow, type Subject, shelf } from './store-samples.ts';

export function storeRows(current: () => Subject): void {
  const run: Subject['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const put = async (row: Partial<ShelfRow>) => {
    const [id] = await run((tables) => tables.of(Shelf).insert([shelf(row)]));
    return id as number;
  };
  const get = async (id: number) => {
    const [row] = await run((tables) => tables.of(Shelf).find({ where: [['id', '=', id]] }));
    return row as ShelfRow;
  };

  describe('a row', () => {
    it('is read as it was written, with every column', async () => {
      const full = shelf({
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
      const id = await put(full);
      expect(await get(id)).to.deep.equal({ id, ...full });
      const empty = await put({});
      expect(await get(empty)).to.deep.equal({ id: empty, ...shelf() });
    });

    it('is read the same when it was written with others and when it was updated', async () => {
      const values: Partial<ShelfRow> = {
        label: 'x\u0001y',
        rank: -Number.MAX_SAFE_INTEGER,
        weight: -1.5e300,
        seen_at: -1,
        extra: ['a'],
        bytes: Uint8Array.of(0, 255),
      };
      const ids = await run((tables) => tables.of(Shelf).insert([shelf(values), shelf(values), shelf(), shelf()]));
      await run(async (tables) => {
        const rows = await tables.of(Shelf).find();
        await tables.of(Shelf).update(rows.slice(2).map((row) => ({ row, set: values })));
      });
      for (const id of ids) expect(await get(id)).to.deep.equal({ ...shelf(values), id });
    });

    it('keeps the order of keys, and the first and last instant', async () => {
      const id = await put({ extra: { b: 1, a: 2, 1: 3 }, seen_at: Date.parse('0001-01-01T00:00:00Z') });
      expect(JSON.stringify((await get(id)).extra)).to.equal('{"1":3,"b":1,"a":2}');
      expect((await get(id)).seen_at).to.equal(Date.parse('0001-01-01T00:00:00Z'));
      const last = await put({ seen_at: Date.parse('9999-12-31T23:59:59.999Z') });
      expect((await get(last)).seen_at).to.equal(Date.parse('9999-12-31T23:59:59.999Z'));
    });

    it('has U+FFFD where a text had NUL or a lone surrogate', async () => {
      const id = await put({ label: 'a\0b\ud800c', tags: ['\0'], extra: { 'k\0': 'v\udfff\\u0000' } });
      const row = await get(id);
      expect(row.label).to.equal('a\ufffdb\ufffdc');
      expect(row.tags).to.deep.equal(['\ufffd']);
      expect(row.extra).to.deep.equal({ 'k\ufffd': 'v\ufffd\\u0000' });
      expect(await run((tables) => tables.of(Shelf).count([['label', '=', 'a\0b\ud800c']]))).to.equal(1);
    });

    it('may be large', async () => {
      const label = 'ž😀'.repeat(300_000);
      const bytes = new Uint8Array(3_000_000).fill(7);
      const [id, other] = await run((tables) => tables.of(Shelf).insert([shelf({ label, bytes }), shelf({ bytes })]));
      const row = await get(id as number);
      expect(row.label === label).to.equal(true);
      expect(Buffer.compare(row.bytes as Uint8Array, bytes)).to.equal(0);
      expect((await get(other as number)).bytes).to.have.length(3_000_000);
    });

    it('cannot be changed except through the store', async () => {
      const given = shelf({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) });
      const [id] = await run((tables) => tables.of(Shelf).insert([given]));
      given.tags.push('y');
      (given.extra as { deep: number[] }).deep.push(2);
      (given.bytes as Uint8Array)[0] = 9;
      const row = await get(id as number);
      row.code = 'changed';
      (row.bytes as Uint8Array)[0] = 8;
      const again = await get(id as number);
      expect(again).to.deep.equal({
        id,
        ...shelf({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) }),
      });
    });

    it('is refused when a value does not fit its column, or names none', async () => {
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
        expect(await rejectionOf(run((tables) => tables.of(Shelf).insert([shelf(values as never)])))).to.match(named);
      expect(await run((tables) => tables.of(Shelf).count())).to.equal(0);
    });
  });

  describe('writing', () => {
    it('returns ids in the order of the rows, ascending', async () => {
      await run(async (tables) => {
        const ids = await tables.of(Shelf).insert(Array.from({ length: 50 }, (_, rank) => shelf({ rank: 100 - rank })));
        expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
        const rows = await tables.of(Shelf).find({ order: [['id', 'asc']] });
        expect(rows.map(({ id }) => id)).to.deep.equal(ids);
        expect(rows.map(({ rank }) => rank)).to.deep.equal(Array.from({ length: 50 }, (_, rank) => 100 - rank));
        expect(await tables.of(Shelf).insert([])).to.deep.equal([]);
      });
    });

    it('inserts, updates and deletes 10,000 rows at once', async () => {
      const many = 10_000;
      await run(async (tables) => {
        const shelves = tables.of(Shelf);
        const ids = await shelves.insert(Array.from({ length: many }, (_, rank) => shelf({ rank, code: `c${rank}` })));
        expect(new Set(ids).size).to.equal(many);
        const again = await shelves.insertAbsent(
          Array.from({ length: many }, (_, at) => shelf({ code: `c${at * 2}` })),
          ['code'],
        );
        expect(again.filter((id) => id === null)).to.have.length(many / 2);
        const rows = await shelves.find({ where: [['id', 'in', ids]] });
        const changed = await shelves.update(
          rows.map((row) => ({ row, set: { rank: -(row.rank as number), revision: 2 } })),
        );
        expect(changed).to.deep.equal(ids);
        expect(await shelves.count([['rank', '<', 0]])).to.equal(many - 1);
        expect(await shelves.updateWhere([['revision', '=', 2]], { label: 'x' })).to.equal(many);
        expect(await shelves.delete([['label', '=', 'x']])).to.have.length(many);
        expect(await shelves.count()).to.equal(many / 2);
      });
    });

    it('updates only the columns and rows that are given', async () => {
      const [one, two] = await run((tables) =>
        tables.of(Shelf).insert([shelf({ code: 'a', rank: 1 }), shelf({ code: 'b', rank: 1 })]),
      );
      await run(async (tables) => {
        const rows = await tables.of(Shelf).find();
        const sets = [{ label: 'first' }, { rank: null, colour: 'red' as const }];
        expect(await tables.of(Shelf).update(rows.map((row, at) => ({ row, set: sets[at] as object })))).to.deep.equal([
          one,
          two,
        ]);
        expect(await tables.of(Shelf).updateWhere([['rank', '=', null]], { open: false })).to.equal(1);
      });
      expect(await get(one as number)).to.deep.equal({ id: one, ...shelf({ code: 'a', rank: 1, label: 'first' }) });
      expect(await get(two as number)).to.deep.equal({ id: two, ...shelf({ code: 'b', colour: 'red', open: false }) });
    });

    it('does not update a row that is at another revision, or deleted', async () => {
      const ids = await run((tables) => tables.of(Shelf).insert([shelf(), shelf(), shelf()]));
      const rows = await run((tables) => tables.of(Shelf).find());
      await run((tables) => tables.of(Shelf).updateWhere([['id', '=', ids[0] as number]], { revision: 2 }));
      await run((tables) => tables.of(Shelf).delete([['id', '=', ids[1] as number]]));
      await run(async (tables) => {
        const set = { label: 'new', revision: 2 };
        expect(await tables.of(Shelf).update(rows.map((row) => ({ row, set })))).to.deep.equal([ids[2]]);
        expect(await tables.of(Shelf).update([{ row: rows[0] as ShelfRow, set }])).to.deep.equal([]);
        expect(await tables.of(Shelf).update([{ row: rows[0] as ShelfRow, set: {} }])).to.deep.equal([]);
      });
      expect((await get(ids[0] as number)).label).to.equal(null);
    });

    it('updates rows of a table without revisions by their ids', async () => {
      const id = await put({});
      await run(async (tables) => {
        await tables.of(Book).insert([book(id, { number: 1 }), book(id, { number: 2 })]);
        const rows = await tables.of(Book).find();
        expect(await tables.of(Book).update(rows.map((row) => ({ row, set: { part: row.number } })))).to.have.length(2);
        expect(
          await tables.of(Book).update(rows.slice(0, 1).map((row) => ({ row, set: { title: 'T' } }))),
        ).to.have.length(1);
        expect((await tables.of(Book).find()).map(({ part, title }) => [part, title])).to.deep.equal([
          [1, 'T'],
          [2, 'A book'],
        ]);
      });
    });

    it('refuses to update one row twice in one call, or its id', async () => {
      const row = await get(await put({}));
      const twice = [
        { row, set: { rank: 1 } },
        { row, set: { rank: 2 } },
      ];
      expect(await rejectionOf(run((tables) => tables.of(Shelf).update(twice)))).to.match(/twice/);
      expect(await rejectionOf(run((tables) => tables.of(Shelf).updateWhere([], { id: 5 })))).to.match(/id/);
    });

    it('returns deleted rows as they were', async () => {
      const [, second] = await run((tables) =>
        tables.of(Shelf).insert([shelf({ rank: 1 }), shelf({ rank: 2, tags: ['t'] })]),
      );
      const gone = await run((tables) => tables.of(Shelf).delete([['rank', '=', 2]]));
      expect(gone).to.deep.equal([{ id: second, ...shelf({ rank: 2, tags: ['t'] }) }]);
      expect(await run((tables) => tables.of(Shelf).count())).to.equal(1);
    });
  });
}
