import { assertCode, assertEqual, assertIs, assertMatches, rejectionOf } from '../assertions.ts';
import { type Clause, clauseList } from '../clause.ts';
import { Child, Counter, child, SampleRecord, type StoreUnderTest, sample } from './samples.ts';

/** What a copy of a store needs: rows are inserted under the ids that they have, and no id is assigned twice. */
export function copyClauses(current: () => StoreUnderTest): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  /** The last id that was assigned to a sample, which a check before may have raised. */
  const lastId = () => run((tables) => tables.copyOf(SampleRecord).lastId(), { readOnly: true });
  const insert = async () => (await run((tables) => tables.of(SampleRecord).insert([sample()])))[0] as number;

  clause('a copy inserts rows under the ids that they have, one or many, and they are read as they were', async () => {
    const last = await lastId();
    const rows = [5, 3, 8].map((step) => ({
      id: last + step,
      ...sample({ rank: step, tags: ['ř'], extra: { b: [1, null], a: 'x' }, seen_at: 1_700_000_000_123, weight: 0.1 }),
      bytes: Uint8Array.of(0, step, 255),
    }));
    await run(async (tables) => {
      await tables.copyOf(SampleRecord).insert([]);
      await tables.copyOf(SampleRecord).insert(rows.slice(0, 1));
      await tables.copyOf(SampleRecord).insert(rows.slice(1));
    });
    const found = await run((tables) => tables.of(SampleRecord).find({ order: [['id', 'asc']] }));
    assertEqual(found, [rows[1], rows[0], rows[2]]);
  });

  clause('a copy knows the last id that was assigned, also of a row that was deleted', async () => {
    const id = await insert();
    assertIs(await lastId(), id);
    await run((tables) => tables.of(SampleRecord).delete([]));
    assertIs(await lastId(), id);
  });

  clause('a copy makes the table give higher ids than the last one of the original', async () => {
    const last = (await lastId()) + 1_000;
    await run(async (tables) => {
      const copy = tables.copyOf(SampleRecord);
      await copy.insert([{ id: last - 10, ...sample() }]);
      await copy.setLastId(last);
    });
    assertIs(await lastId(), last);
    assertIs(await insert(), last + 1);
  });

  clause('a copy of a table that has assigned no id leaves it so', async () => {
    const last = await run((tables) => tables.copyOf(Counter).lastId());
    await run((tables) => tables.copyOf(Counter).setLastId(last));
    assertIs(await run((tables) => tables.copyOf(Counter).lastId()), last);
  });

  clause('a copy refuses an id that is taken, and a reference to a row that does not exist', async () => {
    const id = await insert();
    const taken = await rejectionOf(run((tables) => tables.copyOf(SampleRecord).insert([{ id, ...sample() }])));
    assertCode(taken, 'conflict');
    const dangling = { id: 1_000_000, ...child(id + 999_999) };
    const refused = await rejectionOf(run((tables) => tables.copyOf(Child).insert([dangling])));
    assertCode(refused, 'conflict');
    assertMatches(refused.message, /Child refers by parent_id to a SampleRecord/);
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 1);
  });

  clause('a copy refuses a row without an id, and a value that does not fit its column', async () => {
    const wrong = [sample() as never, { id: 1, ...sample(), rank: 'three' as never }];
    for (const row of wrong)
      assertMatches(
        (await rejectionOf(run((tables) => tables.copyOf(SampleRecord).insert([row])))).message,
        /\.id|\.rank/,
      );
  });

  clause('a copy that is rolled back leaves no row, and its ids can be inserted again', async () => {
    const id = (await lastId()) + 5;
    const copying = () => run((tables) => tables.copyOf(SampleRecord).insert([{ id, ...sample() }]));
    const failing = run(async (tables) => {
      await tables.copyOf(SampleRecord).insert([{ id, ...sample() }]);
      throw new Error('no');
    });
    assertIs((await rejectionOf(failing)).message, 'no');
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 0);
    await copying();
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 1);
  });
  return clauses;
}
