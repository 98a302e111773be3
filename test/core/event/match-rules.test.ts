import { expect } from 'chai';
import fc from 'fast-check';
import { matchesGlob } from '#core/event/rule/match-rules';

describe('The evidence of event rules', () => {
  it('matches as a regular expression would in which * is any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
        expect(matchesGlob(pattern, text)).to.equal(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('matches in time that is linear in the text', () => {
    const text = 'a'.repeat(200_000);
    expect(matchesGlob(`${'a*'.repeat(50)}b`, text)).to.equal(false);
  });
});
