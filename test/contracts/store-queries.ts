import type { AnyRow, Query, Where } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { evaluate, matches } from './store-oracle.ts';
import { SampleRecord, type SampleRow, type StoreFixture, sample } from './store-samples.ts';

const texts = ['', 'a', 'B', 'b', 'aa', 'é', 'Z z', '\ufffd', '\ue000', '😀', "it's", '%', '\\'];
const domains = {
  id: fc.integer({ min: 1, max: 40 }),
  rank: fc.integer({ min: -2, max: 3 }),
  weight: fc.constantFrom(-1.5, 0, 0.1, 2),
  open: fc.boolean(),
  seen_at: fc.constantFrom(0, 999, 1_000, 1_795_000_000_123),
  colour: fc.constantFrom('red', 'green', 'blue'),
  label: fc.constantFrom(...texts),
};
type Field = keyof typeof domains;
const fields = Object.keys(domains) as Field[];
const nullable = (field: Field) => field !== 'id' && field !== 'open';
const domain = (field: Field): fc.Arbitrary<unknown> => domains[field];
const maybe = (field: Field): fc.Arbitrary<unknown> => (nullable(field) ? fc.option(domain(field)) : domain(field));

const rows = fc.array(
  fc.record({
    rank: maybe('rank'),
    weight: maybe('weight'),
    open: domains.open,
    seen_at: maybe('seen_at'),
    colour: maybe('colour'),
    label: maybe('label'),
  }),
  { maxLength: 30 },
) as fc.Arbitrary<Partial<SampleRow>[]>;

const term = fc.constantFrom(...fields).chain((field) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant(field), fc.constantFrom('=', '!='), maybe(field)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant(field), fc.constantFrom('<', '<=', '>', '>='), maybe(field)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant(field), fc.constant('in'), fc.array(domain(field), { maxLength: 4 })),
    },
  ),
);
const where = fc.letrec<{ where: Where; any: unknown }>((tie) => ({
  where: fc.array(fc.oneof({ maxDepth: 2 }, term, term, tie('any')), { maxLength: 3 }) as fc.Arbitrary<Where>,
  any: fc.record({ any: fc.array(tie('where'), { maxLength: 3 }) }),
})).where;
const order = fc.uniqueArray(fc.tuple(fc.constantFrom(...fields), fc.constantFrom('asc', 'desc')), {
  maxLength: 3,
  selector: ([field]) => field,
});
const query = fc.record(
  {
    where,
    order,
    limit: fc.integer({ min: 0, max: 20 }),
    offset: fc.integer({ min: 0, max: 10 }),
    columns: fc.uniqueArray(fc.constantFrom(...fields, 'tags', 'revision'), { minLength: 1 }),
    lock: fc.constantFrom('wait', 'skip'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Query>;

export function storeQueries(current: () => StoreFixture): void {
  const run: StoreFixture['store']['transaction'] = (work, options) => current().store.transaction(work, options);

  describe('a query', () => {
    it('finds and counts the same rows as a naive evaluation in memory', async () => {
      const property = fc.asyncProperty(
        rows,
        fc.array(query, { minLength: 6, maxLength: 6 }),
        async (given, queries) => {
          await run(async (tables) => {
            const samples = tables.of<AnyRow>(SampleRecord);
            await samples.delete([]);
            const ids = await samples.insert(given.map((row) => sample(row)));
            const first = (ids[0] ?? 1) - 1;
            const all = given.map((row, at) => ({ id: ids[at] as number, ...sample(row) }));
            for (const wanted of queries.map((each) => shiftIds(each, first))) {
              expect(await samples.find(wanted), JSON.stringify(wanted)).to.deep.equal(evaluate(all, wanted));
              const matching = all.filter((row) => matches(row, wanted.where ?? []));
              expect(await samples.count(wanted.where)).to.equal(matching.length);
              expect(await samples.count(wanted.where, 3)).to.equal(Math.min(matching.length, 3));
              const countBy = await samples.countBy(['colour', 'open', 'seen_at'], wanted.where);
              const counted = countBy.flatMap(({ values, count }) => Array(count).fill(JSON.stringify(values)));
              const plain = matching.map((row) => JSON.stringify([row.colour, row.open, row.seen_at]));
              expect(counted.sort()).to.deep.equal(plain.sort());
              expect(countBy).to.have.length(new Set(plain).size);
            }
          });
        },
      );
      await fc.assert(property, { numRuns: 80 });
    });

    it('updates and deletes exactly the rows that it finds', async () => {
      const property = fc.asyncProperty(rows, where, where, async (given, changed, deleted) => {
        await run(async (tables) => {
          const samples = tables.of<AnyRow>(SampleRecord);
          await samples.delete([]);
          await samples.insert(given.map((row) => sample(row)));
          const all = await samples.find();
          const matching = all.filter((row) => matches(row, changed));
          expect(await samples.updateWhere(changed, { rank: 7, label: 'new' })).to.equal(matching.length);
          const after = all.map((row) => (matching.includes(row) ? { ...row, rank: 7, label: 'new' } : row));
          expect(await samples.find()).to.deep.equal(after);
          const removed = after.filter((row) => matches(row, deleted));
          expect(await samples.delete(deleted)).to.deep.equal(removed);
          expect(await samples.find()).to.deep.equal(after.filter((row) => !removed.includes(row)));
        });
      });
      await fc.assert(property, { numRuns: 60 });
    });

    it('pages through all rows by key, each once, also where keys are equal', async () => {
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
        expect(seen).to.deep.equal(all.map(({ id }) => id));
      });
    });

    it('matches a list of 2,000 values', async () => {
      await run(async (tables) => {
        const ids = await tables
          .of(SampleRecord)
          .insert(Array.from({ length: 2_000 }, (_, rank) => sample({ rank, code: `c${rank}` })));
        const codes = ids.map((_, at) => `c${at * 2}`);
        expect(await tables.of(SampleRecord).count([['code', 'in', codes]])).to.equal(1_000);
        expect(await tables.of(SampleRecord).count([['id', 'in', []]])).to.equal(0);
      });
    });

    it('does not execute values as SQL', async () => {
      await run((tables) =>
        tables.of(SampleRecord).insert([sample({ code: `'; drop table "child"; --` }), sample({ code: '$1' })]),
      );
      await run(async (tables) => {
        expect(await tables.of(SampleRecord).count([['code', '=', `'; drop table "child"; --`]])).to.equal(1);
        expect(await tables.of(SampleRecord).count([['code', 'in', ['$1', '?']]])).to.equal(1);
      });
    });

    it('compares structured data and bytes with null only', async () => {
      await run((tables) =>
        tables.of(SampleRecord).insert([sample({ extra: { a: 1 } }), sample({ bytes: Uint8Array.of(1) })]),
      );
      await run(async (tables) => {
        expect(await tables.of(SampleRecord).count([['extra', '!=', null]])).to.equal(1);
        expect(await tables.of(SampleRecord).count([['bytes', '=', null]])).to.equal(1);
      });
      expect(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [['extra', '=', { a: 1 }]] }))),
      ).to.match(/extra/);
    });

    it('is refused when it compares a column with a value of another type, or orders by structured data', async () => {
      const wrong: Where = [
        ['rank', '=', '1'],
        ['seen_at', '<', 1.5],
        ['seen_at', '<', 1e18],
        ['code', 'in', [1]],
      ];
      for (const each of wrong)
        expect(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [each] })))).to.match(
          /cannot be/,
        );
      const opaque = /compared with null only/;
      expect(
        await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ order: [['extra', 'asc']] }))),
      ).to.match(opaque);
      expect(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).countBy(['tags'])))).to.match(opaque);
    });

    it('is refused when it names a column that the table does not have', async () => {
      const wrong = ['nothing', 'id"; drop table child; --'];
      for (const name of wrong) {
        const refused = /has no column/;
        expect(
          await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ where: [[name, '=', 1]] }))),
        ).to.match(refused);
        expect(
          await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ order: [[name, 'asc']] }))),
        ).to.match(refused);
        expect(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).find({ columns: [name] })))).to.match(
          refused,
        );
        expect(await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).countBy([name])))).to.match(refused);
        expect(
          await rejectionOf(run((tables) => tables.of<AnyRow>(SampleRecord).updateWhere([], { [name]: 1 }))),
        ).to.match(refused);
      }
    });
  });
}

/** Adds an offset to the ids of a query, since stores continue their ids after a deletion. */
function shiftIds(query: Query, first: number): Query {
  const shift = (terms: Where): Where =>
    terms.map((each) => {
      if ('any' in each) return { any: each.any.map(shift) };
      const [field, is, value] = each;
      if (field !== 'id' || value === null) return each;
      return [field, is, is === 'in' ? (value as number[]).map((id) => id + first) : (value as number) + first];
    });
  return query.where ? { ...query, where: shift(query.where) } : query;
}
