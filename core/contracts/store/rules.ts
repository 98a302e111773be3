import { assertCode, assertEqual, assertIs, assertMatches, rejectionOf } from '../assertions.ts';
import { type Clause, clauseList } from '../clause.ts';
import { Child, child, SampleRecord, type StoreUnderTest, sample } from './samples.ts';

/** Which rows are conflicts: those of unique groups and of references. */
export function ruleClauses(current: () => StoreUnderTest): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const conflict = async (work: Parameters<typeof run>[0], ...named: RegExp[]) => {
    const error = await rejectionOf(run(work));
    assertCode(error, 'conflict');
    for (const name of named) assertMatches(error.message, name);
  };

  clause(
    'a unique group belongs to one row; a second one is a conflict that names the resource and the fields',
    async () => {
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
    },
  );

  clause('a unique group ignores rows with a null in it, and distinguishes upper from lower case', async () => {
    await run((tables) =>
      tables.of(SampleRecord).insert([sample(), sample(), sample({ code: 'a' }), sample({ code: 'A' })]),
    );
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 4);
  });

  clause('a unique group can be written again by its row, and reused once that row is deleted or changed', async () => {
    await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' }), sample({ code: 'b' })]));
    await run(async (tables) => {
      await tables.of(SampleRecord).updateWhere([['code', '=', 'a']], { code: 'a', rank: 1 });
      await tables.of(SampleRecord).delete([['code', '=', 'a']]);
      await tables.of(SampleRecord).updateWhere([['code', '=', 'b']], { code: 'a' });
      await tables.of(SampleRecord).insert([sample({ code: 'b' })]);
    });
  });

  clause('insertAbsent skips rows that exist or are given twice, and the transaction continues', async () => {
    await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a', rank: 1 })]));
    await run(async (tables) => {
      const codes = ['x', 'a', 'y', 'x', 'a', 'z'];
      const ids = await tables.of(SampleRecord).insertAbsent(
        codes.map((code, rank) => sample({ code, rank: rank + 10 })),
        ['code'],
      );
      assertEqual(
        ids.map((id) => id === null),
        [false, true, false, true, true, false],
      );
      const rows = await tables
        .of(SampleRecord)
        .find({ where: [['id', 'in', ids.filter((id) => id !== null)]], order: [['id', 'asc']] });
      assertEqual(
        rows.map(({ code, rank }) => [code, rank]),
        [
          ['x', 10],
          ['y', 12],
          ['z', 15],
        ],
      );
      assertEqual(await tables.of(SampleRecord).insertAbsent([sample({ code: 'a' })], ['code']), [null]);
      assertEqual(await tables.of(SampleRecord).insertAbsent([], ['code']), []);
    });
    assertIs(await run((tables) => tables.of(SampleRecord).count([['rank', '=', 1]])), 1);
  });

  clause('insertAbsent compares all fields of the group, and never nulls', async () => {
    await run(async (tables) => {
      const [one, two] = (await tables.of(SampleRecord).insert([sample(), sample()])) as [number, number];
      const children = [
        child(one, { number: 1 }),
        child(two, { number: 1 }),
        child(one, { number: 1 }),
        child(one, { number: 2 }),
      ];
      const ids = await tables.of(Child).insertAbsent(children, ['parent_id', 'number']);
      assertEqual(
        ids.map((id) => id === null),
        [false, false, true, false],
      );
      const samples = await tables.of(SampleRecord).insertAbsent([sample(), sample({ code: 'n' }), sample()], ['code']);
      assertIs(
        samples.every((id) => id !== null),
        true,
      );
    });
  });

  clause('insertAbsent rejects a key that is not a unique group', async () => {
    assertMatches(
      await rejectionOf(run((tables) => tables.of(SampleRecord).insertAbsent([sample()], ['rank']))),
      /rank/,
    );
  });

  clause('a reference must point to an existing row, unless it is declared without a foreign key', async () => {
    const [id] = (await run((tables) => tables.of(SampleRecord).insert([sample()]))) as [number];
    await conflict((tables) => tables.of(Child).insert([child(id + 1000)]), /Child/, /parent_id/, /SampleRecord/);
    await conflict(
      (tables) => tables.of(Child).insert([child(id, { number: 1 }), child(id + 1000, { number: 2 })]),
      /parent_id/,
    );
    await run((tables) => tables.of(Child).insert([child(id, { unchecked_id: 999_999 })]));
    await conflict((tables) => tables.of(Child).updateWhere([], { parent_id: id + 1000 }), /parent_id/);
  });

  clause('a reference restricts the deletion of the row that it points to', async () => {
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
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 2);
    await run(async (tables) => {
      await tables.of(Child).delete([['parent_id', '=', one]]);
      assertIs((await tables.of(SampleRecord).delete([['id', 'in', [one, two]]])).length, 2);
    });
  });

  clause('a store rejects tables that the store does not have', async () => {
    const unknown = { ...SampleRecord, table: 'unknown' };
    assertMatches(await rejectionOf(run((tables) => tables.of(unknown).find())), /unknown/);
  });
  return clauses;
}
