import { expect } from 'chai';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { Child, child, SampleRecord, type StoreFixture, sample } from './store-samples.ts';

export function storeRules(current: () => StoreFixture): void {
  const run: StoreFixture['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const conflict = async (work: Parameters<typeof run>[0], ...named: RegExp[]) => {
    const error = await rejectionOf(run(work));
    expect(error).to.have.property('code', 'conflict');
    for (const name of named) expect(error.message).to.match(name);
  };

  describe('a unique group', () => {
    it('belongs to one row; a second one is a conflict that names the resource and the fields', async () => {
      const [id] = await run((tables) =>
        tables.of(SampleRecord).insert([sample({ code: 'a' }), sample({ code: 'b' })]),
      );
      await conflict((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]), /SampleRecord/, /code/);
      await conflict(
        (tables) => tables.of(SampleRecord).insert([sample({ code: 'n' }), sample({ code: 'n' })]),
        /code/,
      );
      await conflict((tables) => tables.of(SampleRecord).updateWhere([['code', '=', 'b']], { code: 'a' }), /code/);
      await conflict(async (tables) => {
        const rows = await tables.of(SampleRecord).find({ where: [['code', '=', 'b']] });
        await tables.of(SampleRecord).update(rows.map((row) => ({ row, set: { code: 'a' } })));
      }, /code/);
      await run(async (tables) => {
        await tables.of(Child).insert([child(id as number, { number: 1 }), child(id as number, { number: 2 })]);
      });
      await conflict(
        (tables) => tables.of(Child).insert([child(id as number, { number: 2 })]),
        /Child/,
        /parent_id, number/,
      );
    });

    it('ignores rows with a null in it, and distinguishes upper from lower case', async () => {
      await run((tables) =>
        tables.of(SampleRecord).insert([sample(), sample(), sample({ code: 'a' }), sample({ code: 'A' })]),
      );
      expect(await run((tables) => tables.of(SampleRecord).count())).to.equal(4);
    });

    it('can be written again by its row, and reused once that row is deleted or changed', async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' }), sample({ code: 'b' })]));
      await run(async (tables) => {
        await tables.of(SampleRecord).updateWhere([['code', '=', 'a']], { code: 'a', rank: 1 });
        await tables.of(SampleRecord).delete([['code', '=', 'a']]);
        await tables.of(SampleRecord).updateWhere([['code', '=', 'b']], { code: 'a' });
        await tables.of(SampleRecord).insert([sample({ code: 'b' })]);
      });
    });
  });

  describe('insertAbsent', () => {
    it('skips rows that exist or are given twice, and the transaction continues', async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a', rank: 1 })]));
      await run(async (tables) => {
        const codes = ['x', 'a', 'y', 'x', 'a', 'z'];
        const ids = await tables.of(SampleRecord).insertAbsent(
          codes.map((code, rank) => sample({ code, rank: rank + 10 })),
          ['code'],
        );
        expect(ids.map((id) => id === null)).to.deep.equal([false, true, false, true, true, false]);
        const rows = await tables
          .of(SampleRecord)
          .find({ where: [['id', 'in', ids.filter((id) => id !== null)]], order: [['id', 'asc']] });
        expect(rows.map(({ code, rank }) => [code, rank])).to.deep.equal([
          ['x', 10],
          ['y', 12],
          ['z', 15],
        ]);
        expect(await tables.of(SampleRecord).insertAbsent([sample({ code: 'a' })], ['code'])).to.deep.equal([null]);
        expect(await tables.of(SampleRecord).insertAbsent([], ['code'])).to.deep.equal([]);
      });
      expect(await run((tables) => tables.of(SampleRecord).count([['rank', '=', 1]]))).to.equal(1);
    });

    it('compares all fields of the group, and never nulls', async () => {
      await run(async (tables) => {
        const [one, two] = (await tables.of(SampleRecord).insert([sample(), sample()])) as [number, number];
        const children = [
          child(one, { number: 1 }),
          child(two, { number: 1 }),
          child(one, { number: 1 }),
          child(one, { number: 2 }),
        ];
        const ids = await tables.of(Child).insertAbsent(children, ['parent_id', 'number']);
        expect(ids.map((id) => id === null)).to.deep.equal([false, false, true, false]);
        const samples = await tables
          .of(SampleRecord)
          .insertAbsent([sample(), sample({ code: 'n' }), sample()], ['code']);
        expect(samples.every((id) => id !== null)).to.equal(true);
      });
    });

    it('rejects a key that is not a unique group', async () => {
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).insertAbsent([sample()], ['rank'])))).to.match(
        /rank/,
      );
    });
  });

  describe('a reference', () => {
    it('must point to an existing row, unless it is declared without a foreign key', async () => {
      const [id] = (await run((tables) => tables.of(SampleRecord).insert([sample()]))) as [number];
      await conflict((tables) => tables.of(Child).insert([child(id + 1000)]), /Child/, /parent_id/, /SampleRecord/);
      await conflict(
        (tables) => tables.of(Child).insert([child(id, { number: 1 }), child(id + 1000, { number: 2 })]),
        /parent_id/,
      );
      await run((tables) => tables.of(Child).insert([child(id, { unchecked_id: 999_999 })]));
      await conflict((tables) => tables.of(Child).updateWhere([], { parent_id: id + 1000 }), /parent_id/);
    });

    it('restricts the deletion of the row that it points to', async () => {
      const [one, two] = (await run((tables) => tables.of(SampleRecord).insert([sample(), sample()]))) as [
        number,
        number,
      ];
      await run((tables) => tables.of(Child).insert([child(one)]));
      await conflict(
        (tables) => tables.of(SampleRecord).delete([['id', 'in', [one, two]]]),
        /SampleRecord/,
        /Child/,
        /parent_id/,
      );
      expect(await run((tables) => tables.of(SampleRecord).count())).to.equal(2);
      await run(async (tables) => {
        await tables.of(Child).delete([['parent_id', '=', one]]);
        expect(await tables.of(SampleRecord).delete([['id', 'in', [one, two]]])).to.have.length(2);
      });
    });
  });

  it('rejects tables that the store does not have', async () => {
    const unknown = { ...SampleRecord, table: 'unknown' };
    expect(await rejectionOf(run((tables) => tables.of(unknown).find()))).to.match(/unknown/);
  });
}
