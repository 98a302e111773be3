import { AuditedStore, type Tables, Topic, trustedActor } from '@horarium/core';

import { expect } from 'chai';
import { ReadCache } from '#core/store/read-cache';
import { newRow } from '#core/store/table';
import { StandingClock } from '../../support/clocks/standing-clock.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('ReadCache', () => {
  const inState = (state: string) => ({ state: async () => state }) as Tables;

  it('reads again only after a write', async () => {
    const store = openTestStore(new StandingClock());
    const cache = new ReadCache<number>(10);
    let read = 0;
    const count = () =>
      store.transaction(
        (tables) =>
          cache.get(tables, 'topics', async () => {
            read += 1;
            return 1 + (await tables.of(Topic).count());
          }),
        { readOnly: true },
      );
    expect([await count(), await count(), await count()]).to.deep.equal([1, 1, 1]);
    expect(read).to.equal(1);
    await new AuditedStore(store).transaction(trustedActor('test'), (tables) =>
      tables.of(Topic).insert([newRow(Topic, { name: 'a' })]),
    );
    expect([await count(), await count()]).to.deep.equal([2, 2]);
    expect(read).to.equal(2);
  });

  it('does not cache what was not found', async () => {
    const cache = new ReadCache<string>(10);
    const found = [undefined, 'there'];
    const get = () => cache.get(inState('1'), 'a', async () => found.shift());
    expect([await get(), await get(), await get()]).to.deep.equal([undefined, 'there', 'there']);
  });

  it('evicts the least recently used value when it is full', async () => {
    const cache = new ReadCache<string>(2);
    const read: string[] = [];
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a'])
      await cache.get(inState('1'), key, async () => {
        read.push(key);
        return key;
      });
    expect(read).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('never returns a value that was read in another state of the store, also where reads overlap', async () => {
    const cache = new ReadCache<string>(10);
    const [old, now] = [inState('old'), inState('now')];
    let finish = (_value: string) => {};
    const slow = cache.get(old, 'a', () => new Promise((resolve) => (finish = resolve)));
    expect(await cache.get(now, 'a', async () => 'new')).to.equal('new');
    finish('of old');
    expect(await slow).to.equal('of old');
    expect(await cache.get(now, 'a', async () => 'read again')).to.equal('new');
    expect(await cache.get(old, 'a', async () => 'of old, again')).to.equal('of old, again');
  });
});
