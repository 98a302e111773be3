import { expect } from 'chai';
import fc from 'fast-check';
import { levelOf } from '#core/retention/row-limits';

describe('The size to which the runs of templates are cut', () => {
  const cut = (sizes: readonly number[], level: number) => sizes.reduce((sum, size) => sum + Math.min(size, level), 0);

  const table: readonly (readonly [sizes: readonly number[], max: number, level: number])[] = [
    [[], 10, Infinity],
    [[10], 10, Infinity],
    [[11], 10, 10],
    [[3, 30], 10, 7],
    [[3, 3, 30, 40], 26, 10],
    [[100, 100, 100], 1, 1],
  ];
  for (const [sizes, max, level] of table)
    it(`of ${sizes.join(', ') || 'none'} within ${max} rows is ${level}`, () => {
      expect(levelOf(sizes, max)).to.equal(level);
    });

  it('is the largest that fits', () => {
    const sizes = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 20, max: 5000 }), (given, max) => {
        const level = levelOf(given, max);
        expect(cut(given, level)).to.be.at.most(max);
        if (level < Infinity) expect(cut(given, level + 1)).to.be.greaterThan(max);
      }),
    );
  });
});
