import { AuditedStore, type Tables, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/resource/new-row';
import { ReadCache } from '#core/resource/read-cache';
import { StandingClock } from '../../support/standing-clock.ts';
import { openTestStore } from '../../support/test-store.ts';

describe('A cache of what was read', () => {
  /** One over a store that only says in which state it is. */
  const overStates = <T extends {}>(most: number, ...states: string[]) => {
    const clock = new StandingClock();
    const looks: string[] = [];
    const open = async <R>(work: (tables: Tables) => Promise<R>) => {
      const state = states.shift() ?? 'last';
      looks.push(state);
      return work({ state: async () => state, now: async () => looks.length } as Tables);
    };
    return { cache: new ReadCache<T>({ clock, most, open }), clock, looks };
  };

  it('reads again after anything was written, and not before', async () => {
    const clock = new StandingClock();
    const store = openTestStore(clock);
    const audited = new AuditedStore(store);
    const cache = new ReadCache<number>({ clock, most: 10, open: (work) => audited.read(work) });
    let read = 0;
    const count = async () => {
      const { found, now } = await cache.get('topics', async (tables) => {
        read += 1;
        return 1 + (await tables.of(Topic).count());
      });
      expect(now).to.equal(clock.now());
      return found;
    };
    expect([await count(), await count(), await count()]).to.deep.equal([1, 1, 1]);
    expect(read).to.equal(1);
    await audited.transaction(trustedActor('test'), (tables) =>
      tables.of(Topic).insert([newRow(Topic, { name: 'a' })]),
    );
    expect([await count(), await count()]).to.deep.equal([2, 2]);
    expect(read).to.equal(2);
  });

  it('keeps nothing that was not found', async () => {
    const { cache } = overStates<string>(10);
    const found = [undefined, 'there'];
    const get = async () => (await cache.get('a', async () => found.shift())).found;
    expect([await get(), await get(), await get()]).to.deep.equal([undefined, 'there', 'there']);
  });

  it('lets go of the oldest when it is full', async () => {
    const { cache } = overStates<string>(2);
    const read: string[] = [];
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a'])
      await cache.get(key, async () => {
        read.push(key);
        return key;
      });
    expect(read).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('looks once for all who come while somebody looks, after they came, and tells each what they asked for', async () => {
    const { cache, looks } = overStates<string>(10, 'first', 'second');
    const others: Promise<{ readonly found: string | undefined; readonly now: number }>[] = [];
    const first = await cache.get('a', async () => {
      for (const key of ['a', 'b', 'c']) others.push(cache.get(key, async () => `${key} of ${looks.at(-1)}`));
      return 'a of first';
    });
    expect(first).to.deep.equal({ found: 'a of first', now: 1 });
    expect(await Promise.all(others)).to.deep.equal(
      ['a', 'b', 'c'].map((key) => ({ found: `${key} of second`, now: 2 })),
    );
    expect(looks).to.deep.equal(['first', 'second']);
  });

  it('tells all who share a look that it failed, and looks again for the next', async () => {
    let fails = true;
    const open = async <R>(work: (tables: Tables) => Promise<R>) => {
      if (fails) throw new Error('gone');
      return work({ state: async () => '', now: async () => 0 } as Tables);
    };
    const cache = new ReadCache<string>({ clock: new StandingClock(), most: 10, open });
    const get = (key: string) =>
      cache
        .get(key, async () => key)
        .then(
          ({ found }) => found,
          ({ message }) => message,
        );
    expect(await Promise.all([get('a'), get('b')])).to.deep.equal(['gone', 'gone']);
    fails = false;
    expect(await get('a')).to.equal('a');
  });

  it('makes nobody wait for a look that hangs, and gives nobody what was read in another state', async () => {
    const { cache, clock } = overStates<string>(10, 'old', 'now', 'now', 'old');
    const get = async (value: string | Promise<string>) => (await cache.get('a', async () => value)).found;
    let finish = (_value: string) => {};
    const slow = get(new Promise<string>((resolve) => (finish = resolve)));
    clock.at += 1_001;
    expect(await get('new')).to.equal('new');
    finish('of old');
    expect(await slow).to.equal('of old');
    expect(await get('read again')).to.equal('new');
    expect(await get('of old, again')).to.equal('of old, again');
  });
});
