import { DatabaseBusy, StaleRow } from '../../errors.ts';
import type { Tables } from '../../store/store.ts';
import { assertCode, assertEqual, assertIs, assertMatches, assertThrows, rejectionOf } from '../assertions.ts';
import { assert, type Clause, clauseList } from '../clause.ts';
import { Counter, SampleRecord, type StoreTraits, type StoreUnderTest, sample } from './samples.ts';

/** What a transaction promises by itself. */
export function transactionClauses(current: () => StoreUnderTest, traits: StoreTraits): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const codes = () => run(async (tables) => (await tables.of(SampleRecord).find()).map(({ code }) => code));

  clause('a transaction returns what the work returns, and its writes are visible afterwards', async () => {
    assertIs(await run(async (tables) => (await tables.of(SampleRecord).insert([sample({ code: 'a' })])).length), 1);
    assertEqual(await codes(), ['a']);
  });

  clause('a transaction sees its own writes', async () => {
    await run(async (tables) => {
      const [id] = await tables.of(SampleRecord).insert([sample({ code: 'a' })]);
      const [row] = await tables.of(SampleRecord).find();
      assertIs(row?.id, id);
      await tables.of(SampleRecord).updateWhere([], { code: 'b' });
      assertIs(await tables.of(SampleRecord).count([['code', '=', 'b']]), 1);
    });
  });

  clause('a transaction rolls back when the work throws, and throws the same error', async () => {
    await run((tables) =>
      tables.of(SampleRecord).insert([sample({ code: 'a', rank: 1 }), sample({ code: 'b', rank: 2 })]),
    );
    const reason = new Error('no');
    const thrown = await rejectionOf(
      run(async (tables) => {
        await tables.of(SampleRecord).insert([sample({ code: 'c' })]);
        await tables.of(SampleRecord).updateWhere([['code', '=', 'a']], { code: 'x', rank: 9 });
        await tables.of(SampleRecord).delete([['code', '=', 'b']]);
        await tables.of(Counter).insert([{ name: 'n', value: 1 }]);
        throw reason;
      }),
    );
    assertIs(thrown, reason);
    assertEqual(await codes(), ['a', 'b']);
    await run(async (tables) => {
      assertIs(await tables.of(SampleRecord).count([['rank', '=', 1]]), 1);
      assertIs(await tables.of(Counter).count(), 0);
    });
  });

  clause('transactions that need not be durable commit and roll back like others, also beside these', async () => {
    const insert = (code: string) => async (tables: Tables) => {
      await tables.of(SampleRecord).insert([sample({ code })]);
      if (code.startsWith('failed')) throw new Error('no');
    };
    const ended = await Promise.allSettled(
      ['a', 'lazy', 'failed', 'b', 'lazy 2', 'failed lazy', 'c'].map((code) =>
        run(insert(code), { durable: !code.includes('lazy') }),
      ),
    );
    assertEqual(
      ended.map(({ status }) => status === 'fulfilled'),
      [true, true, false, true, true, false, true],
    );
    assertEqual((await codes()).sort(), ['a', 'b', 'c', 'lazy', 'lazy 2']);
  });

  clause('a transaction fails after a failed call, even when the work catches the error', async () => {
    await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
    const thrown = await rejectionOf(
      run(async (tables) => {
        await tables.of(Counter).insert([{ name: 'n', value: 1 }]);
        await rejectionOf(tables.of(SampleRecord).insert([sample({ code: 'a' })]));
      }),
    );
    assertCode(thrown, 'conflict');
    assertIs(await run((tables) => tables.of(Counter).count()), 0);
  });

  clause('a transaction succeeds after another one that failed', async () => {
    await rejectionOf(run(() => Promise.reject(new Error('no'))));
    assertEqual(await codes(), []);
  });

  clause(
    'a transaction runs its work again when that finds a row stale, until the fifth attempt fails for good',
    async () => {
      let attempts = 0;
      const work = async (tables: Tables) => {
        attempts += 1;
        await tables.of(SampleRecord).insert([sample({ code: `attempt ${attempts}` })]);
        if (attempts < 3) throw new StaleRow('SampleRecord', 1);
      };
      await run(work);
      assertEqual(await codes(), ['attempt 3']);
      attempts = -10;
      assert((await rejectionOf(run(work))) instanceof StaleRow, 'The fifth attempt must fail with StaleRow');
      assertIs(attempts, -5);
    },
  );

  clause('a transaction runs its work again when the database is busy', async () => {
    let attempts = 0;
    await run(async () => {
      attempts += 1;
      if (attempts < 3) throw new DatabaseBusy();
    });
    assertIs(attempts, 3);
  });

  clause('a transaction cannot be used after its end', async () => {
    let kept: Tables | undefined;
    await run(async (tables) => {
      kept = tables;
    });
    const table = await run(async (tables) => tables.of(SampleRecord));
    const ended = /transaction has ended/;
    assertMatches(await rejectionOf(table.find()), ended);
    assertMatches(await rejectionOf(table.insert([sample()])), ended);
    assertMatches(await rejectionOf((kept as Tables).now()), ended);
    assertThrows(() => (kept as Tables).of(SampleRecord), ended);
    assertThrows(() => (kept as Tables).afterCommit(() => undefined), ended);
  });

  clause('a transaction calls back after the commit, in order, and never after a rollback', async () => {
    const called: string[] = [];
    await run(async (tables) => {
      tables.afterCommit(() => called.push('first'));
      tables.afterCommit(() => called.push('second'));
      await tables.of(SampleRecord).insert([sample()]);
      assertEqual(called, []);
    });
    await rejectionOf(
      run(async (tables) => {
        tables.afterCommit(() => called.push('never'));
        throw new Error('no');
      }),
    );
    assertEqual(called, ['first', 'second']);
  });

  clause(
    'a transaction calls back once when others that begin see its changes, and never after a rollback',
    async () => {
      const counts: Promise<number>[] = [];
      const count = () => run((tables) => tables.of(SampleRecord).count());
      await run(async (tables) => {
        tables.whenVisible(() => counts.push(count()));
        await tables.of(SampleRecord).insert([sample()]);
        assertEqual(counts, []);
      });
      await rejectionOf(
        run(async (tables) => {
          tables.whenVisible(() => counts.push(count()));
          throw new Error('no');
        }),
      );
      assertEqual(await Promise.all(counts), [1]);
    },
  );

  clause('a transaction keeps the warnings of the attempt that is committed', async () => {
    let attempts = 0;
    const warnings = await run(async (tables) => {
      attempts++;
      tables.warn(`attempt ${attempts}`);
      if (attempts === 1) throw new DatabaseBusy();
      tables.warn('twice');
      tables.warn('twice');
      return tables.warnings;
    });
    assertEqual(warnings, ['attempt 2', 'twice', 'twice']);
  });

  clause('a transaction rejects writes and locks when it is read-only', async () => {
    await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
    const only = { readOnly: true };
    assertIs(await run((tables) => tables.of(SampleRecord).count(), only), 1);
    const refused = /only reads/;
    assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).insert([sample()]), only)), refused);
    assertMatches(
      await rejectionOf(run((tables) => tables.of(SampleRecord).updateWhere([], { rank: 1 }), only)),
      refused,
    );
    assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).delete([]), only)), refused);
    assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).find({ lock: 'wait' }), only)), refused);
    assertMatches(await rejectionOf(run((tables) => tables.tryLock('x'), only)), refused);
  });

  clause(
    'a transaction runs one statement besides now() when it is declared single-statement, and rejects a second one and writes',
    async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
      const once = { readOnly: true, singleStatement: true } as const;
      const seen = await run(
        async (tables) => [await tables.now(), await tables.of(SampleRecord).count(), await tables.now()],
        once,
      );
      assertIs(seen[1], 1);
      assertIs(seen[0], seen[2]);
      const twice = async (tables: Tables) => [await tables.of(SampleRecord).find(), await tables.of(Counter).find()];
      assertMatches(await rejectionOf(run(twice, once)), /a single statement/);
      assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).delete([]), once)), /only reads/);
      assertEqual(await codes(), ['a']);
    },
  );

  clause('a transaction returns the same now() throughout', async () => {
    const before = current().clock.at;
    const [first, second] = await run(async (tables) => {
      const one = await tables.now();
      current().clock.at += 1_000;
      return [one, await tables.now()];
    });
    assertIs(first, second);
    assertIs(Number.isInteger(first), true);
    if (!traits.databaseTime) assertIs(first, before);
  });

  clause('a transaction accepts concurrent calls', async () => {
    await run(async (tables) => {
      const ids = await Promise.all(['a', 'b', 'c'].map((code) => tables.of(SampleRecord).insert([sample({ code })])));
      assertIs(new Set(ids.flat()).size, 3);
      assertEqual(await Promise.all([tables.of(SampleRecord).count(), tables.of(Counter).count()]), [3, 0]);
    });
  });

  clause(
    'a transaction runs concurrent calls in the order in which they were made, the first calls included',
    async () => {
      const counter = (name: string) => ({ name, value: 1 });
      const orders: ((tables: Tables) => Promise<unknown>[])[] = [
        (tables) => [tables.of(Counter).count(), tables.of(Counter).insert([counter('a')]), tables.of(Counter).count()],
        (tables) => [tables.of(Counter).insert([counter('b')]), tables.of(Counter).count()],
      ];
      const seen = [];
      for (const order of orders)
        seen.push((await run((tables) => Promise.all(order(tables)))).filter((each) => typeof each === 'number'));
      assertEqual(seen, [[0, 1], [2]]);
    },
  );
  return clauses;
}
