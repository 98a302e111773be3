import { expect } from 'chai';
import { intervals, parseInterval } from '#core/time/interval';

describe('An interval', () => {
  it('is read by its name', () => {
    for (const interval of intervals) expect(parseInterval(interval)).to.equal(interval);
  });

  it('is read by its letter', () => {
    expect([...'nihdwmyc'].map(parseInterval)).to.deep.equal([
      'none',
      'minutely',
      'hourly',
      'daily',
      'weekly',
      'monthly',
      'yearly',
      'custom',
    ]);
  });

  for (const invalid of ['', 'D', 'Daily', 'fortnightly', 'toString', '__proto__', null, undefined, 5, ['d']])
    it(`is rejected as ${JSON.stringify(invalid)}, with the list of valid names`, () => {
      expect(() => parseInterval(invalid)).to.throw('must be one of none, minutely, hourly, daily');
    });

  it('is suggested for a name that is similar', () => {
    expect(() => parseInterval('dayly')).to.throw('the letters n i h d w m y c. Did you mean daily?');
  });
});
