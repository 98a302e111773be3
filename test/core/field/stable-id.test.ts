import { expect } from 'chai';
import fc from 'fast-check';
import { stableId, stableUuid } from '#core/field/stable-id';

describe('stableId', () => {
  it('stays the same in every version, because imports find existing records by it', () => {
    expect(stableId([])).to.equal('0880950eb2ab1be95aa0733055956c75');
    expect(stableId(['app', 'WAIT'])).to.equal('0c355e5bef8ea66894067294d78e7d51');
    expect(stableUuid(['app', 'WAIT'])).to.equal('0c355e5b-ef8e-8668-9406-7294d78e7d51');
  });

  it('differs for different parts', () =>
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
        expect(stableId(a) === stableId(b)).to.equal(JSON.stringify(a) === JSON.stringify(b));
      }),
    ));

  it('differs for a hundred thousand numbered parts', () => {
    const ids = new Set(Array.from({ length: 100_000 }, (_, index) => stableId(['thing', index])));
    expect(ids.size).to.equal(100_000);
  });
});

describe('stableUuid', () => {
  it('is a UUID of version 8', () =>
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(stableUuid(parts)).to.match(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      }),
    ));
});
