import { DatabaseBusy, StaleRow, type Tables } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { Counter, SampleRecord, type StoreFixture, sample, type Traits } from './store-samples.ts';

export function storeTransactions(current: () => StoreFixture, traits: Traits): void {
  const run: StoreFixture['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const codes = () => run(async (tables) => (await tables.of(SampleRecord).find()).map(({ code }) => code));

  describe('a transaction', () => {
    it('returns what the work returns, and its writes are visible afterwards', async () => {
      expect(
        await run(async (tables) => (await tables.of(SampleRecord).insert([sample({ code: 'a' })])).length),
      ).to.equal(1);
      expect(await codes()).to.deep.equal(['a']);
    });

    it('sees its own writes', async () => {
      await run(async (tables) => {
        const [id] = await tables.of(SampleRecord).insert([sample({ code: 'a' })]);
        const [row] = await tables.of(SampleRecord).find();
        expect(row?.id).to.equal(id);
        await tables.of(SampleRecord).updateWhere([], { code: 'b' });
        expect(await tables.of(SampleRecord).count([['code', '=', 'b']])).to.equal(1);
      });
    });

    it('rolls back when the work throws, and throws the same error', async () => {
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
      expect(thrown).to.equal(reason);
      expect(await codes()).to.deep.equal(['a', 'b']);
      await run(async (tables) => {
        expect(await tables.of(SampleRecord).count([['rank', '=', 1]])).to.equal(1);
        expect(await tables.of(Counter).count()).to.equal(0);
      });
    });

    it('fails after a failed call, even when the work catches the error', async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
      const thrown = await rejectionOf(
        run(async (tables) => {
          await tables.of(Counter).insert([{ name: 'n', value: 1 }]);
          await rejectionOf(tables.of(SampleRecord).insert([sample({ code: 'a' })]));
        }),
      );
      expect(thrown).to.have.property('code', 'conflict');
      expect(await run((tables) => tables.of(Counter).count())).to.equal(0);
    });

    it('succeeds after another one that failed', async () => {
      await rejectionOf(run(() => Promise.reject(new Error('no'))));
      expect(await codes()).to.deep.equal([]);
    });

    it('runs its work again when that finds a row stale, until the fifth attempt fails for good', async () => {
      let attempts = 0;
      const work = async (tables: Tables) => {
        attempts += 1;
        await tables.of(SampleRecord).insert([sample({ code: `attempt ${attempts}` })]);
        if (attempts < 3) throw new StaleRow('SampleRecord', 1);
      };
      await run(work);
      expect(await codes()).to.deep.equal(['attempt 3']);
      attempts = -10;
      expect(await rejectionOf(run(work))).to.be.instanceOf(StaleRow);
      expect(attempts).to.equal(-5);
    });

    it('runs its work again when the database is busy', async () => {
      let attempts = 0;
      await run(async () => {
        attempts += 1;
        if (attempts < 3) throw new DatabaseBusy();
      });
      expect(attempts).to.equal(3);
    });

    it('cannot be used after its end', async () => {
      let kept: Tables | undefined;
      await run(async (tables) => {
        kept = tables;
      });
      const table = await run(async (tables) => tables.of(SampleRecord));
      const ended = /transaction has ended/;
      expect(await rejectionOf(table.find())).to.match(ended);
      expect(await rejectionOf(table.insert([sample()]))).to.match(ended);
      expect(await rejectionOf((kept as Tables).now())).to.match(ended);
      expect(() => (kept as Tables).of(SampleRecord)).to.throw(ended);
      expect(() => (kept as Tables).afterCommit(() => undefined)).to.throw(ended);
    });

    it('calls back after the commit, in order, and never after a rollback', async () => {
      const called: string[] = [];
      await run(async (tables) => {
        tables.afterCommit(() => called.push('first'));
        tables.afterCommit(() => called.push('second'));
        await tables.of(SampleRecord).insert([sample()]);
        expect(called).to.deep.equal([]);
      });
      await rejectionOf(
        run(async (tables) => {
          tables.afterCommit(() => called.push('never'));
          throw new Error('no');
        }),
      );
      expect(called).to.deep.equal(['first', 'second']);
    });

    it('rejects writes and locks when it is read-only', async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
      const only = { readOnly: true };
      expect(await run((tables) => tables.of(SampleRecord).count(), only)).to.equal(1);
      const refused = /only reads/;
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).insert([sample()]), only))).to.match(refused);
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).updateWhere([], { rank: 1 }), only))).to.match(
        refused,
      );
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).delete([]), only))).to.match(refused);
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).find({ lock: 'wait' }), only))).to.match(
        refused,
      );
      expect(await rejectionOf(run((tables) => tables.tryLock('x'), only))).to.match(refused);
    });

    it('runs one statement besides now() when it is declared single-statement, and rejects a second one and writes', async () => {
      await run((tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]));
      const once = { readOnly: true, singleStatement: true } as const;
      const seen = await run(
        async (tables) => [await tables.now(), await tables.of(SampleRecord).count(), await tables.now()],
        once,
      );
      expect(seen[1]).to.equal(1);
      expect(seen[0]).to.equal(seen[2]);
      const twice = async (tables: Tables) => [await tables.of(SampleRecord).find(), await tables.of(Counter).find()];
      expect(await rejectionOf(run(twice, once))).to.match(/a single statement/);
      expect(await rejectionOf(run((tables) => tables.of(SampleRecord).delete([]), once))).to.match(/only reads/);
      expect(await run((tables) => tables.state(), once)).to.be.a('string');
      expect(await codes()).to.deep.equal(['a']);
    });

    it('returns another state() after each change when it is read-only, and rejects state() otherwise', async () => {
      const state = () => run((tables) => tables.state(), { readOnly: true });
      const changes: ((tables: Tables) => Promise<unknown>)[] = [
        (tables) => tables.of(SampleRecord).insert([sample({ code: 'a' })]),
        (tables) => tables.of(SampleRecord).updateWhere([], { rank: 1 }),
        (tables) => tables.of(SampleRecord).delete([]),
      ];
      const states = [await state()];
      for (const change of changes) {
        await run(change);
        states.push(await state());
      }
      expect(new Set(states).size).to.equal(states.length);
      expect(await rejectionOf(run((tables) => tables.state()))).to.match(/only reads/);
    });

    it('returns the same state() as the one before it when nothing was written in between', async () => {
      // Other tests may write to other databases of the same server, which counts as well; they do not always.
      const state = () => run((tables) => tables.state(), { readOnly: true });
      const seen = [await state(), await state()];
      while (seen.length < 1000 && seen.at(-1) !== seen.at(-2)) seen.push(await state());
      expect(seen.at(-1)).to.equal(seen.at(-2));
    });

    it('returns the same now() throughout', async () => {
      const before = current().clock.at;
      const [first, second] = await run(async (tables) => {
        const one = await tables.now();
        current().clock.at += 1_000;
        return [one, await tables.now()];
      });
      expect(first).to.equal(second);
      expect(Number.isInteger(first)).to.equal(true);
      if (!traits.databaseTime) expect(first).to.equal(before);
    });

    it('accepts concurrent calls', async () => {
      await run(async (tables) => {
        const ids = await Promise.all(
          ['a', 'b', 'c'].map((code) => tables.of(SampleRecord).insert([sample({ code })])),
        );
        expect(new Set(ids.flat()).size).to.equal(3);
        expect(await Promise.all([tables.of(SampleRecord).count(), tables.of(Counter).count()])).to.deep.equal([3, 0]);
      });
    });

    it('runs concurrent calls in the order in which they were made, the first calls included', async () => {
      const counter = (name: string) => ({ name, value: 1 });
      const orders: ((tables: Tables) => Promise<unknown>[])[] = [
        (tables) => [tables.of(Counter).count(), tables.of(Counter).insert([counter('a')]), tables.of(Counter).count()],
        (tables) => [tables.of(Counter).insert([counter('b')]), tables.of(Counter).count()],
      ];
      const seen = [];
      for (const order of orders)
        seen.push((await run((tables) => Promise.all(order(tables)))).filter((each) => typeof each === 'number'));
      expect(seen).to.deep.equal([[0, 1], [2]]);
    });
  });
}
