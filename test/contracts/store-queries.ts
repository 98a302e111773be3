import type { Query, Where } from '@horarium/core';
import { assertChanges, assertFinds, type SampleRow, type StoreUnderTest } from '@horarium/core/contracts';
import fc from 'fast-check';

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

/** Compares the queries of a store with a naive evaluation in memory, for random rows and queries. */
export function itAnswersRandomQueries(current: () => StoreUnderTest): void {
  it('finds and counts the same rows as a naive evaluation in memory', async () => {
    const queries = fc.array(query, { minLength: 6, maxLength: 6 });
    const property = fc.asyncProperty(rows, queries, (given, asked) => assertFinds(current(), given, asked));
    await fc.assert(property, { numRuns: 80 });
  });

  it('updates and deletes exactly the rows that it finds', async () => {
    const property = fc.asyncProperty(rows, where, where, (given, changed, deleted) =>
      assertChanges(current(), given, changed, deleted),
    );
    await fc.assert(property, { numRuns: 60 });
  });
}
