import { expect } from 'chai';
import { RecentCache } from '#core/time/recent-cache';

describe('recent', () => {
  it('makes what it keeps only once', () => {
    let made = 0;
    const recent = new RecentCache(10, (key) => `${key}${++made}`);
    expect([recent.get('a'), recent.get('b'), recent.get('a')]).to.deep.equal(['a1', 'b2', 'a1']);
  });

  it('keeps what is asked for again and again, and forgets the rest', () => {
    const made: string[] = [];
    const recent = new RecentCache(3, (key) => {
      made.push(key);
      return key;
    });
    for (let other = 0; other < 100; other++) {
      recent.get('often');
      recent.get(`once ${other}`);
    }
    expect(made.filter((key) => key === 'often')).to.have.lengthOf(1);
    recent.get('once 0');
    expect(made.filter((key) => key === 'once 0')).to.have.lengthOf(2);
  });

  it('keeps nothing that could not be made', () => {
    let fail = true;
    const recent = new RecentCache(3, (key) => {
      if (fail) throw new Error(`no ${key}`);
      return key;
    });
    expect(() => recent.get('a')).to.throw('no a');
    fail = false;
    expect(recent.get('a')).to.equal('a');
  });
});
