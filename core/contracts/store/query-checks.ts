import type { Query, Steps, Where } from '../../store/query.ts';
import type { AnyRow } from '../../store/table.ts';
import { assertEqual, assertIs } from '../assertions.ts';
import { evaluate, matches } from './query-oracle.ts';
import { SampleRecord, type SampleRow, type StoreUnderTest, sample } from './samples.ts';

/**
 * Asserts that queries find and count the rows that a naive evaluation in memory finds, for a generator of both. Ids in
 * the queries count from the first row.
 * @throws Error where they do not.
 */
export async function assertFinds(
  { store }: StoreUnderTest,
  rows: readonly Partial<SampleRow>[],
  queries: readonly Query[],
): Promise<void> {
  await store.transaction(async (tables) => {
    const samples = tables.of<AnyRow>(SampleRecord);
    await samples.delete([]);
    const ids = await samples.insert(rows.map((row) => sample(row)));
    const first = (ids[0] ?? 1) - 1;
    const all = rows.map((row, at) => ({ id: ids[at] as number, ...sample(row) }));
    for (const wanted of queries.map((each) => shiftIds(each, first))) {
      const query = JSON.stringify(wanted);
      assertEqual(await samples.find(wanted), evaluate(all, wanted), `The rows of ${query}`);
      const matching = all.filter((row) => matches(row, wanted.where ?? []));
      assertIs(await samples.count(wanted.where), matching.length, `The count of ${query}`);
      assertIs(await samples.count(wanted.where, 3), Math.min(matching.length, 3), `The count up to 3 of ${query}`);
      const countBy = await samples.countBy(['colour', 'open', 'seen_at'], wanted.where);
      const counted = countBy.flatMap(({ values, count }) => Array(count).fill(JSON.stringify(values)));
      const plain = matching.map((row) => JSON.stringify([row.colour, row.open, row.seen_at]));
      assertEqual(counted.sort(), plain.sort(), `The counts by group of ${query}`);
      assertIs(countBy.length, new Set(plain).size, `The number of groups of ${query}`);
      const sums = await samples.sumBy(['open', 'colour'], ['rank', 'revision'], wanted.where);
      const expected = [...Map.groupBy(matching, (row) => JSON.stringify([row.open, row.colour])).values()];
      assertEqual(
        sums.map((group) => JSON.stringify(group)).sort(),
        expected.map((group) => JSON.stringify(sumOf(group))).sort(),
        `The sums by group of ${query}`,
      );
      const total = (await samples.sumBy([], ['rank'], wanted.where)).map((group) => group.sums);
      const ofAll = matching.reduce((sum, row) => sum + (row.rank ?? 0), 0);
      assertEqual(total, matching.length === 0 ? [] : [[ofAll]], `The sum of ${query}`);
      for (const steps of sampleSteps) {
        const { of, from, length, count } = steps;
        const within: Where = [
          [of, '>=', from],
          [of, '<', from + length * count],
        ];
        for (const bounds of [[], within]) {
          const histogram = await samples.histogram(['open', 'colour'], steps, [...(wanted.where ?? []), ...bounds]);
          assertEqual(
            histogram.map((group) => JSON.stringify(group)).sort(),
            histogramOf(matching, steps).sort(),
            `The histogram of ${steps.count} steps of ${query}`,
          );
          const total = await samples.histogram([], steps, [...(wanted.where ?? []), ...bounds]);
          assertEqual(
            total.map(({ counts }) => counts.reduce((sum, each) => sum + each, 0)),
            histogram.length === 0 ? [] : [sumOfCounts(histogram)],
            `The histogram without groups of ${steps.count} steps of ${query}`,
          );
        }
      }
    }
  });
}

/** Steps that begin and end with times of samples, and such that divide all of them. */
const sampleSteps: readonly Steps[] = [
  { of: 'seen_at', from: 0, length: 333, count: 3 },
  { of: 'seen_at', from: -1, length: 1, count: 2 },
  { of: 'seen_at', from: 999, length: 897_500_061, count: 2000 },
];

/** Counts rows as `histogram` does, each group as JSON. */
function histogramOf(rows: readonly Readonly<Record<string, unknown>>[], { of, from, length, count }: Steps): string[] {
  const stepOf = (row: Readonly<Record<string, unknown>>) => Math.floor((Number(row[of]) - from) / length);
  const inside = rows.filter((row) => row[of] !== null && stepOf(row) >= 0 && stepOf(row) < count);
  return [...Map.groupBy(inside, (row) => JSON.stringify([row['open'], row['colour']]))].map(([values, group]) => {
    const counts = Array.from({ length: count }, (_, step) => group.filter((row) => stepOf(row) === step).length);
    return JSON.stringify({ values: JSON.parse(values), counts });
  });
}

function sumOfCounts(histogram: readonly { readonly counts: readonly number[] }[]): number {
  return histogram.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
}

/** Adds up the rows of a group as `sumBy` does. */
function sumOf(rows: readonly SampleRow[]) {
  const sum = (column: 'rank' | 'revision') => rows.reduce((total, row) => total + (row[column] ?? 0), 0);
  return { values: [rows[0]?.open, rows[0]?.colour], sums: [sum('rank'), sum('revision')] };
}

/**
 * Asserts that an update and then a deletion change the rows that a naive evaluation in memory finds, and no others.
 * @throws Error where they do not.
 */
export async function assertChanges(
  { store }: StoreUnderTest,
  rows: readonly Partial<SampleRow>[],
  changed: Where,
  deleted: Where,
): Promise<void> {
  await store.transaction(async (tables) => {
    const samples = tables.of<AnyRow>(SampleRecord);
    await samples.delete([]);
    await samples.insert(rows.map((row) => sample(row)));
    const all = await samples.find();
    const matching = all.filter((row) => matches(row, changed));
    assertIs(await samples.updateWhere(changed, { rank: 7, label: 'new' }), matching.length, 'The number of updates');
    const after = all.map((row) => (matching.includes(row) ? { ...row, rank: 7, label: 'new' } : row));
    assertEqual(await samples.find(), after, 'The rows after the update');
    const ids = [['id', 'in', matching.map(({ id }) => id)]] as const;
    await samples.updateWhere(ids, { label: 'new' }, { rank: 2 });
    await samples.updateWhere(ids, {}, { rank: -2 });
    assertEqual(await samples.find(), after, 'The rows after numbers were added and subtracted');
    const removed = after.filter((row) => matches(row, deleted));
    assertEqual(await samples.delete(deleted), removed, 'The deleted rows');
    assertEqual(
      await samples.find(),
      after.filter((row) => !removed.includes(row)),
      'The rows after the deletion',
    );
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
