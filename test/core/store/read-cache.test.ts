import { type Tables, Topic, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { ReadCache } from '#core/store/read-cache';
import { newRow } from '#core/store/table';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('ReadCache', () => {
  /** Tables of a transaction that sees the store in that state. */
  const tablesIn = (state: string) => ({ state: async () => state }) as Tables;

  it('reads again only after a write', async () => {
    const store = openTestStore(new StandingClock());
    const cache = new ReadCache<number>(10);
    let reads = 0;
    const countTopics = () =>
      store.transaction(
        (tables) =>
          cache.get(tables, 'topics', async () => {
            reads += 1;
            return tables.of(Topic).count();
          }),
        { readOnly: true },
      );
    expect([await countTopics(), await countTopics(), await countTopics()]).to.deep.equal([0, 0, 0]);
    expect(reads).to.equal(1);
    await new AuditedStore(store, testSigner).transaction(trustedActor('test'), (tables) =>
      tables.of(Topic).insert([newRow(Topic, { name: 'a' })]),
    );
    expect([await countTopics(), await countTopics()]).to.deep.equal([1, 1]);
    expect(reads).to.equal(2);
  });

  it('does not cache what was not found', async () => {
    const cache = new ReadCache<string>(10);
    const results = [undefined, 'found'];
    const get = () => cache.get(tablesIn('1'), 'a', async () => results.shift());
    expect([await get(), await get(), await get()]).to.deep.equal([undefined, 'found', 'found']);
  });

  it('evicts the least recently used value when it is full', async () => {
    const cache = new ReadCache<string>(2);
    const keysRead: string[] = [];
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a'])
      await cache.get(tablesIn('1'), key, async () => {
        keysRead.push(key);
        return key;
      });
    expect(keysRead).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('returns no value of another state of the store, even if a read ends after the state has changed', async () => {
    const cache = new ReadCache<string>(10);
    const [before, after] = [tablesIn('before'), tablesIn('after')];
    const slowRead = Promise.withResolvers<string>();
    const slow = cache.get(before, 'a', () => slowRead.promise);
    expect(await cache.get(after, 'a', async () => 'new')).to.equal('new');
    slowRead.resolve('old');
    expect(await slow).to.equal('old');
    expect(await cache.get(after, 'a', async () => 'read again')).to.equal('new');
    expect(await cache.get(before, 'a', async () => 'old, read again')).to.equal('old, read again');
  });
});
