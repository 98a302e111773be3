import { expect } from 'chai';
import { LruCache } from '#core/registry/lru-cache';

describe('LruCache', () => {
  it('computes a missing value once', () => {
    let made = 0;
    const cache = new LruCache<string>(10);
    const get = (key: string) => cache.getOrMake(key, () => `${key}${++made}`);
    expect([get('a'), get('b'), get('a')]).to.deep.equal(['a1', 'b2', 'a1']);
  });

  it('evicts the least recently used value', () => {
    const made: string[] = [];
    const cache = new LruCache<string>(3);
    const get = (key: string) =>
      cache.getOrMake(key, () => {
        made.push(key);
        return key;
      });
    for (let other = 0; other < 100; other++) {
      get('often');
      get(`once ${other}`);
    }
    expect(made.filter((key) => key === 'often')).to.have.lengthOf(1);
    get('once 0');
    expect(made.filter((key) => key === 'once 0')).to.have.lengthOf(2);
    get('often');
    expect(['often', 'once 0', 'once 99', 'once 98'].map((key) => cache.get(key) !== undefined)).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
  });

  it('replaces values', () => {
    const cache = new LruCache<number>(1);
    cache.set('a', 1);
    cache.set('a', 2);
    expect(cache.get('a')).to.equal(2);
  });

  it('evicts as many values as a larger one needs, and keeps none that is larger than the limit', () => {
    const cache = new LruCache<string>(10);
    const kept = () => ['a', 'b', 'c', 'large'].filter((key) => cache.get(key) !== undefined);
    cache.set('a', 'a', 4);
    cache.set('b', 'b', 4);
    cache.set('b', 'b', 3);
    cache.set('c', 'c', 7);
    expect(kept()).to.deep.equal(['b', 'c']);
    cache.set('large', 'large', 11);
    cache.set('a', 'a', 10);
    expect(kept()).to.deep.equal(['a']);
  });

  it('does not cache a value whose computation failed', () => {
    const cache = new LruCache<string>(3);
    const fail = () => {
      throw new Error('no a');
    };
    expect(() => cache.getOrMake('a', fail)).to.throw('no a');
    expect(cache.getOrMake('a', (key) => key)).to.equal('a');
  });
});
