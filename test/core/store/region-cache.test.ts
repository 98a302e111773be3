import type { Tables } from '@horarium/core';
import { expect } from 'chai';
import { RegionCache } from '#core/store/region-cache';

describe('RegionCache', () => {
  /** Tables of a transaction that sees the region in that version. */
  const tablesIn = (version: string) => ({ setting: async () => version }) as unknown as Tables;

  it('reads again only once the region has another version', async () => {
    const cache = new RegionCache<number>('accounts', 10);
    let reads = 0;
    const get = (version: string) => cache.get(tablesIn(version), 'users', async () => ++reads);
    expect([await get('1'), await get('1'), await get('2'), await get('2')]).to.deep.equal([1, 1, 2, 2]);
  });

  it('does not cache what was not found', async () => {
    const cache = new RegionCache<string>('accounts', 10);
    const results = [undefined, 'found'];
    const get = () => cache.get(tablesIn('1'), 'a', async () => results.shift());
    expect([await get(), await get(), await get()]).to.deep.equal([undefined, 'found', 'found']);
  });

  it('evicts the least recently used value when it is full', async () => {
    const cache = new RegionCache<string>('accounts', 2);
    const keysRead: string[] = [];
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a'])
      await cache.get(tablesIn('1'), key, async () => {
        keysRead.push(key);
        return key;
      });
    expect(keysRead).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('returns no value of another version, even if a read ends after the version has changed', async () => {
    const cache = new RegionCache<string>('accounts', 10);
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
