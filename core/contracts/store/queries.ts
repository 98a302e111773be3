import type { Query, Where } from '../../store/query.ts';
import type { AnyRow } from '../../store/table.ts';
import { assertEqual, assertIs, assertMatches, rejectionOf } from '../assertions.ts';
import { type Clause, clauseList } from '../clause.ts';
import { assertChanges, assertFinds } from './query-checks.ts';
import { SampleRecord, type SampleRow, type StoreUnderTest, sample } from './samples.ts';

/** Values of columns of each kind, and null where it may be. */
const values = {
  rank: [-2, 0, 1, null],
  weight: [-1.5, 0, 0.1, null],
  open: [true, false],
  seen_at: [0, 999, 1_795_000_000_123, null],
  colour: ['red', 'green', 'blue', null],
  label: ['', 'B', 'b', 'é', '\ufffd', '😀', "it's", '%', null],
} as const;
const fields = Object.keys(values) as (keyof typeof values)[];
const valueAt = (field: keyof typeof values, at: number) => values[field][at % values[field].length];
const ownRows = Array.from({ length: 30 }, (_, at) =>
  Object.fromEntries(fields.map((field, column) => [field, valueAt(field, at * (column + 1) + (at >> 3))])),
) as Partial<SampleRow>[];
const conditions = fields.flatMap((field) =>
  (['=', '!=', '<', '<=', '>', '>='] as const).flatMap((is) =>
    values[field].map((value) => [field, is, value] as const),
  ),
);
const nested: Where = [{ any: [[['rank', '=', 1]], [['open', '=', true], { any: [[['label', '>', 'B']], []] }], []] }];
const ownQueries: readonly Query[] = [
  ...conditions.map((condition, at) => ({
    where: at % 3 === 0 ? [condition, conditions[(at * 7) % conditions.length] as typeof condition] : [condition],
    order: [[fields[at % fields.length] as string, at % 2 === 0 ? ('asc' as const) : ('desc' as const)]] as const,
    ...(at % 4 === 0 && { limit: at % 9, offset: at % 5 }),
    ...(at % 5 === 0 && { columns: [fields[at % fields.length] as string, 'tags'] }),
    ...(at % 6 === 0 && { lock: 'wait' as const }),
  })),
  ...fields.map((field) => ({ where: [[field, 'in', values[field].filter((value) => value !== null)] as const] })),
  { where: [['rank', 'in', []]] },
  { where: [{ any: [] }] },
  { where: nested },
];

/** What queries find, count, change and refuse. */
export function queryClauses(current: () => StoreUnderTest): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);

  clause(
    'a query finds and counts the same rows as a naive evaluation, for every condition on every kind of column',
    () => assertFinds(current(), ownRows, ownQueries),
  );

  clause('a query updates and deletes exactly the rows that it finds', async () => {
    for (const { where = [] } of ownQueries.slice(0, 40))
      await assertChanges(current(), ownRows, where, [['rank', '<=', 1]]);
  });

  clause('a histogram refuses steps that are none or too many, and a column without times', async () => {
    const steps = { of: 'seen_at', from: 0, length: 1, count: 1 } as const;
    for (const wrong of [{ count: 0 }, { count: 2001 }, { length: 0 }, { length: 0.5 }, { of: 'rank' as const }]) {
      const refused = run((tables) => tables.of(SampleRecord).histogram(['colour'], { ...steps, ...wrong }));
      assertMatches((await rejectionOf(refused)).message, /A histogram has 1 to 2000 steps|rank has no instants/);
    }
  });

  clause('a query pages through all rows by key, each once, also where keys are equal', async () => {
    await run(async (tables) => {
      const samples = tables.of(SampleRecord);
      await samples.insert(Array.from({ length: 137 }, (_, at) => sample({ created_at: at % 7, rank: at % 3 })));
      const seen: number[] = [];
      for (let last: SampleRow | undefined; ; ) {
        const after: Where<SampleRow> = last
          ? [
              {
                any: [
                  [['created_at', '<', last.created_at]],
                  [
                    ['created_at', '=', last.created_at],
                    ['id', '<', last.id],
                  ],
                ],
              },
            ]
          : [];
        const page: SampleRow[] = await samples.find({
          where: after,
          order: [
            ['created_at', 'desc'],
            ['id', 'desc'],
          ],
          limit: 10,
        });
        if (page.length === 0) break;
        seen.push(...page.map(({ id }) => id));
        last = page.at(-1);
      }
      const all = await samples.find();
      all.sort((a, b) => b.created_at - a.created_at || b.id - a.id);
      assertEqual(
        seen,
        all.map(({ id }) => id),
      );
    });
  });

  clause('a query matches a list of 2,000 values', async () => {
    await run(async (tables) => {
      const ids = await tables
        .of(SampleRecord)
        .insert(Array.from({ length: 2_000 }, (_, rank) => sample({ rank, code: `c${rank}` })));
      const codes = ids.map((_, at) => `c${at * 2}`);
      assertIs(await tables.of(SampleRecord).count([['code', 'in', codes]]), 1_000);
      assertIs(await tables.of(SampleRecord).count([['id', 'in', []]]), 0);
    });
  });

  clause('a query does not execute values as SQL', async () => {
    await run((tables) =>
      tables.of(SampleRecord).insert([sample({ code: `'; drop table "child"; --` }), sample({ code: '$1' })]),
    );
    await run(async (tables) => {
      assertIs(await tables.of(SampleRecord).count([['code', '=', `'; drop table "child"; --`]]), 1);
      assertIs(await tables.of(SampleRecord).count([['code', 'in', ['$1', '?']]]), 1);
    });
  });

  clause('a query compares structured data and bytes with null only', async () => {
    await run((tables) =>
      tables.of(SampleRecord).insert([sample({ extra: { a: 1 } }), sample({ bytes: Uint8Array.of(1) })]),
    );
    await run(async (tables) => {
      assertIs(await tables.of(SampleRecord).count([['extra', '!=', null]]), 1);
      assertIs(await tables.of(SampleRecord).count([['bytes', '=', null]]), 1);
    });
    assertMatches(
      await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [['extra', '=', { a: 1 }]] }))),
      /extra/,
    );
  });

  clause(
    'a query is refused when it compares a column with a value of another type, or orders by structured data',
    async () => {
      const wrong: Where = [
        ['rank', '=', '1'],
        ['seen_at', '<', 1.5],
        ['seen_at', '<', 1e18],
        ['code', 'in', [1]],
      ];
      for (const each of wrong)
        assertMatches(
          await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [each] }))),
          /cannot be/,
        );
      const opaque = /compared with null only/;
      assertMatches(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ order: [['extra', 'asc']] }))),
        opaque,
      );
      assertMatches(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).countBy(['tags']))), opaque);
    },
  );

  clause('a query is refused when it names a column that the table does not have', async () => {
    const wrong = ['nothing', 'id"; drop table child; --'];
    for (const name of wrong) {
      const refused = /has no column/;
      assertMatches(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [[name, '=', 1]] }))),
        refused,
      );
      assertMatches(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ order: [[name, 'asc']] }))),
        refused,
      );
      assertMatches(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ columns: [name] }))),
        refused,
      );
      assertMatches(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).countBy([name]))), refused);
      assertMatches(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).updateWhere([], { [name]: 1 }))),
        refused,
      );
    }
  });
  return clauses;
}
