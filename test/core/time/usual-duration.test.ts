import { expect } from 'chai';
import fc from 'fast-check';
import { smoothedDuration, type UsualDuration } from '#core/time/usual-duration';

describe('The usual duration', () => {
  it('begins with the first one, whose half is the deviation', () => {
    expect(smoothedDuration(null, 60_000)).to.deep.equal({ mean: 60_000, deviation: 30_000 });
  });

  it('moves by an eighth of the difference, and its deviation by a quarter', () => {
    expect(smoothedDuration({ mean: 800, deviation: 400 }, 1600)).to.deep.equal({ mean: 900, deviation: 500 });
    expect(smoothedDuration({ mean: 800, deviation: 400 }, 800)).to.deep.equal({ mean: 800, deviation: 300 });
  });

  it('stays between the shortest and the longest one', () => {
    const durations = fc.array(fc.nat(10_000_000), { minLength: 1 });
    fc.assert(
      fc.property(durations, (all) => {
        const { mean, deviation } = all.reduce<UsualDuration | null>(smoothedDuration, null) as UsualDuration;
        expect(mean).to.be.within(Math.min(...all), Math.max(...all));
        expect(deviation).to.be.within(0, Math.max(...all));
      }),
    );
  });
});
