import type { Tables } from '../../store/store.ts';
import { assertEqual, assertIs, rejectionOf } from '../assertions.ts';
import { type Clause, clauseList } from '../clause.ts';
import { Child, Counter, child, SampleRecord, type StoreTraits, type StoreUnderTest, sample } from './samples.ts';

/** What transactions promise that run at the same time, and named locks. */
export function concurrencyClauses(
  current: () => StoreUnderTest,
  { concurrent = false }: StoreTraits,
): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);

  clause('concurrent transactions lose no increment when they lock the rows that they read', async () => {
    await run((tables) => tables.of(Counter).insert([{ name: 'n', value: 0 }]));
    await Promise.all(
      Array.from({ length: 40 }, () =>
        run(async (tables) => {
          const [row] = await tables.of(Counter).find({ where: [['name', '=', 'n']], lock: 'wait' });
          if (!row) throw new Error('The counter was deleted.');
          await tables.of(Counter).update([{ row, set: { value: row.value + 1 } }]);
        }),
      ),
    );
    assertIs(await run(async (tables) => (await tables.of(Counter).find())[0]?.value), 40);
  });

  clause('concurrent transactions lose no number that they add to a row up to a limit', async () => {
    await run((tables) => tables.of(Counter).insert([{ name: 'n', value: 0 }]));
    const room = [['name', '=', 'n'] as const, ['value', '<=', 28] as const];
    const added = await Promise.all(
      Array.from({ length: 40 }, () => run((tables) => tables.of(Counter).updateWhere(room, {}, { value: 2 }))),
    );
    assertIs(added.filter((count) => count === 1).length, 15);
    assertIs(await run(async (tables) => (await tables.of(Counter).find())[0]?.value), 30);
  });

  clause('concurrent transactions lose no increment when they check the revision and retry', async () => {
    await run((tables) => tables.of(SampleRecord).insert([sample({ rank: 0 })]));
    const increment = async (): Promise<void> => {
      const [row] = await run((tables) => tables.of(SampleRecord).find());
      if (!row) throw new Error('The row was deleted.');
      const set = { rank: (row.rank ?? 0) + 1, revision: row.revision + 1 };
      const written = await run((tables) => tables.of(SampleRecord).update([{ row, set }]));
      if (written.length === 0) await increment();
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    assertIs(await run(async (tables) => (await tables.of(SampleRecord).find())[0]?.rank), 20);
  });

  clause('concurrent transactions insert an absent row only once with insertAbsent', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        run((tables) => tables.of(SampleRecord).insertAbsent([sample({ code: 'one' })], ['code'])),
      ),
    );
    assertIs(made.flat().filter((id) => id !== null).length, 1);
  });

  clause('concurrent transactions all commit although they lock the same rows in opposite orders', async () => {
    await run((tables) =>
      tables.of(Counter).insert([
        { name: 'a', value: 0 },
        { name: 'b', value: 0 },
      ]),
    );
    const names = ['a', 'b'];
    await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        run(async (tables) => {
          for (const name of at % 2 === 0 ? names : [...names].reverse()) {
            const [row] = await tables.of(Counter).find({ where: [['name', '=', name]], lock: 'wait' });
            if (row) await tables.of(Counter).update([{ row, set: { value: row.value + 1 } }]);
          }
        }),
      ),
    );
    const values = await run(async (tables) => (await tables.of(Counter).find()).map(({ value }) => value));
    assertEqual(values, [16, 16]);
  });

  clause('concurrent transactions do not see uncommitted rows', async () => {
    const seen: number[] = [];
    await rejectionOf(
      run(async (tables) => {
        await tables.of(SampleRecord).insert([sample()]);
        if (concurrent) seen.push(await run((others) => others.of(SampleRecord).count(), { readOnly: true }));
        throw new Error('no');
      }),
    );
    seen.push(await run((tables) => tables.of(SampleRecord).count()));
    assertEqual(new Set(seen), new Set([0]));
  });

  clause('a named lock is acquired, also twice by the same transaction, and free after its end', async () => {
    for (let round = 0; round < 2; round += 1) {
      const got = await run(async (tables) => [await tables.tryLock('sealer'), await tables.tryLock('sealer')]);
      assertEqual(got, [true, true]);
    }
  });

  if (!concurrent) return clauses;

  /** Runs the second transaction while the first is open. */
  const whileOpen = <T>(
    first: (tables: Tables) => Promise<unknown>,
    second: (tables: Tables) => Promise<T>,
  ): Promise<T> =>
    run(async (tables) => {
      await first(tables);
      return run(second);
    });

  clause('two open transactions get disjoint rows when they skip locked ones', async () => {
    await run((tables) => tables.of(SampleRecord).insert(Array.from({ length: 10 }, (_, rank) => sample({ rank }))));
    const claim = (tables: Tables, limit: number) =>
      tables.of(SampleRecord).find({ order: [['rank', 'asc']], limit, lock: 'skip' });
    let mine: number[] = [];
    const theirs = await whileOpen(
      async (tables) => {
        mine = (await claim(tables, 6)).map(({ id }) => id);
      },
      async (tables) => (await claim(tables, 6)).map(({ id }) => id),
    );
    assertIs(mine.length, 6);
    assertIs(theirs.length, 4);
    assertIs(new Set([...mine, ...theirs]).size, 10);
  });

  clause('two open transactions cannot both acquire a named lock', async () => {
    assertIs(
      await whileOpen(
        (tables) => tables.tryLock('sealer'),
        (tables) => tables.tryLock('sealer'),
      ),
      false,
    );
    assertIs(
      await whileOpen(
        (tables) => tables.tryLock('sealer'),
        (tables) => tables.tryLock('other'),
      ),
      true,
    );
  });

  clause('two open transactions can insert rows that refer to a row which the other has locked', async () => {
    const [id] = (await run((tables) => tables.of(SampleRecord).insert([sample()]))) as [number];
    const made = await whileOpen(
      (tables) => tables.of(SampleRecord).find({ where: [['id', '=', id]], lock: 'wait' }),
      (tables) => tables.of(Child).insert([child(id)]),
    );
    assertIs(made.length, 1);
  });

  clause('two open transactions find a row that both may refer to, but not one that the other deletes', async () => {
    const [kept, deleted] = (await run((tables) => tables.of(SampleRecord).insert([sample(), sample()]))) as [
      number,
      number,
    ];
    const found = await whileOpen(
      async (tables) => {
        await tables.of(SampleRecord).find({ where: [['id', '=', kept]], lock: 'wait' });
        await tables.of(SampleRecord).find({ where: [['id', '=', kept]], lock: 'reference' });
        await tables.of(SampleRecord).delete([['id', '=', deleted]]);
      },
      (tables) => tables.of(SampleRecord).find({ lock: 'reference' }),
    );
    assertEqual(
      found.map(({ id }) => id),
      [kept],
    );
  });

  clause('two open transactions leave a read-only transaction on one snapshot while the other writes', async () => {
    const counts = await run(
      async (tables) => {
        const before = await tables.of(SampleRecord).count();
        await run((others) => others.of(SampleRecord).insert([sample()]));
        return [before, await tables.of(SampleRecord).count()];
      },
      { readOnly: true },
    );
    assertEqual(counts, [0, 0]);
  });
  return clauses;
}
