import { expect } from 'chai';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { Book, book, Shelf, type Subject, shelf } from './store-samples.ts';

export function storeRules(current: () => Subject): void {
  const run: Subject['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const conflict = async (work: Parameters<typeof run>[0], ...named: RegExp[]) => {
    const error = await rejectionOf(run(work));
    expect(error).to.have.property('code', 'conflict');
    for (const name of named) expect(error.message).to.match(name);
  };

  describe('a unique group', () => {
    it('belongs to one row, and the conflict names the record and the fields', async () => {
      const [id] = await run((tables) => tables.of(Shelf).insert([shelf({ code: 'a' }), shelf({ code: 'b' })]));
      await conflict((tables) => tables.of(Shelf).insert([shelf({ code: 'a' })]), /ShelfMark/, /code/);
      await conflict((tables) => tables.of(Shelf).insert([shelf({ code: 'n' }), shelf({ code: 'n' })]), /code/);
      await conflict((tables) => tables.of(Shelf).updateWhere([['code', '=', 'b']], { code: 'a' }), /code/);
      await conflict(async (tables) => {
        const rows = await tables.of(Shelf).find({ where: [['code', '=', 'b']] });
        await tables.of(Shelf).update(rows.map((row) => ({ row, set: { code: 'a' } })));
      }, /code/);
      await run(async (tables) => {
        await tables.of(Book).insert([book(id as number, { number: 1 }), book(id as number, { number: 2 })]);
      });
      await conflict(
        (tables) => tables.of(Book).insert([book(id as number, { number: 2 })]),
        /Book/,
        /shelf_id, number/,
      );
    });

    it('ignores rows with a null in it, and distinguishes upper from lower case', async () => {
      await run((tables) => tables.of(Shelf).insert([shelf(), shelf(), shelf({ code: 'a' }), shelf({ code: 'A' })]));
      expect(await run((tables) => tables.of(Shelf).count())).to.equal(4);
    });

    it('stays with a row that is written again, and can be taken by another once it is free', async () => {
      await run((tables) => tables.of(Shelf).insert([shelf({ code: 'a' }), shelf({ code: 'b' })]));
      await run(async (tables) => {
        await tables.of(Shelf).updateWhere([['code', '=', 'a']], { code: 'a', rank: 1 });
        await tables.of(Shelf).delete([['code', '=', 'a']]);
        await tables.of(Shelf).updateWhere([['code', '=', 'b']], { code: 'a' });
        await tables.of(Shelf).insert([shelf({ code: 'b' })]);
      });
    });
  });

  describe('insertAbsent', () => {
    it('skips rows that exist or come twice, and the transaction goes on', async () => {
      await run((tables) => tables.of(Shelf).insert([shelf({ code: 'a', rank: 1 })]));
      await run(async (tables) => {
        const codes = ['x', 'a', 'y', 'x', 'a', 'z'];
        const ids = await tables.of(Shelf).insertAbsent(
          codes.map((code, rank) => shelf({ code, rank: rank + 10 })),
          ['code'],
        );
        expect(ids.map((id) => id === null)).to.deep.equal([false, true, false, true, true, false]);
        const rows = await tables
          .of(Shelf)
          .find({ where: [['id', 'in', ids.filter((id) => id !== null)]], order: [['id', 'asc']] });
        expect(rows.map(({ code, rank }) => [code, rank])).to.deep.equal([
          ['x', 10],
          ['y', 12],
          ['z', 15],
        ]);
        expect(await tables.of(Shelf).insertAbsent([shelf({ code: 'a' })], ['code'])).to.deep.equal([null]);
        expect(await tables.of(Shelf).insertAbsent([], ['code'])).to.deep.equal([]);
      });
      expect(await run((tables) => tables.of(Shelf).count([['rank', '=', 1]]))).to.equal(1);
    });

    it('compares all fields of the group, and never nulls', async () => {
      await run(async (tables) => {
        const [one, two] = (await tables.of(Shelf).insert([shelf(), shelf()])) as [number, number];
        const books = [
          book(one, { number: 1 }),
          book(two, { number: 1 }),
          book(one, { number: 1 }),
          book(one, { number: 2 }),
        ];
        const ids = await tables.of(Book).insertAbsent(books, ['shelf_id', 'number']);
        expect(ids.map((id) => id === null)).to.deep.equal([false, false, true, false]);
        const shelves = await tables.of(Shelf).insertAbsent([shelf(), shelf({ code: 'n' }), shelf()], ['code']);
        expect(shelves.every((id) => id !== null)).to.equal(true);
      });
    });

    it('refuses a key that is not a unique group', async () => {
      expect(await rejectionOf(run((tables) => tables.of(Shelf).insertAbsent([shelf()], ['rank'])))).to.match(/rank/);
    });
  });

  describe('a reference', () => {
    it('is refused where it points to no row, unless it is not a foreign key', async () => {
      const [id] = (await run((tables) => tables.of(Shelf).insert([shelf()]))) as [number];
      await conflict((tables) => tables.of(Book).insert([book(id + 1000)]), /Book/, /shelf_id/, /ShelfMark/);
      await conflict(
        (tables) => tables.of(Book).insert([book(id, { number: 1 }), book(id + 1000, { number: 2 })]),
        /shelf_id/,
      );
      await run((tables) => tables.of(Book).insert([book(id, { friend_id: 999_999 })]));
      await conflict((tables) => tables.of(Book).updateWhere([], { shelf_id: id + 1000 }), /shelf_id/);
    });

    it('restricts the deletion of the row that it points to', async () => {
      const [one, two] = (await run((tables) => tables.of(Shelf).insert([shelf(), shelf()]))) as [number, number];
      await run((tables) => tables.of(Book).insert([book(one)]));
      await conflict((tables) => tables.of(Shelf).delete([['id', 'in', [one, two]]]), /ShelfMark/, /Book/, /shelf_id/);
      expect(await run((tables) => tables.of(Shelf).count())).to.equal(2);
      await run(async (tables) => {
        await tables.of(Book).delete([['shelf_id', '=', one]]);
        expect(await tables.of(Shelf).delete([['id', 'in', [one, two]]])).to.have.length(2);
      });
    });
  });

  it('refuses tables that the store does not have', async () => {
    const stranger = { ...Shelf, table: 'stranger' };
    expect(await rejectionOf(run((tables) => tables.of(stranger).find()))).to.match(/stranger/);
  });
}
