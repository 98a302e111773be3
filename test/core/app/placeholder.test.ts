import { expect } from 'chai';
import fc from 'fast-check';
import { hasPlaceholder, replacedSize, replacePlaceholders } from '#core/app/placeholder';

describe('Placeholders', () => {
  it('are names in braces, with or without a dollar sign', () => {
    for (const value of ['{KEY}', 'a$' + '{KEY}b']) expect(hasPlaceholder(value), value).to.equal(true);
    for (const value of ['', 'KEY', '{}', '{ KEY }', '{1}']) expect(hasPlaceholder(value), value).to.equal(false);
  });

  it('stay as they are where nothing replaces them', () => {
    expect(replacePlaceholders('{A} {B} $' + '{B} $$1', (key) => (key === 'A' ? '$&' : undefined))).to.equal(
      '$& {B} $' + '{B} $$1',
    );
  });

  it('are counted with the size of what replaces them', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('{A}', '{B}', '$' + '{A}', '{', '}', '$'));
    const values = new Map([['A', 'žluťoučký 🐎']]);
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const built = replacePlaceholders(text, (key) => values.get(key));
        const size = replacedSize(text, (key) =>
          values.has(key) ? Buffer.byteLength(values.get(key) ?? '') : undefined,
        );
        expect(size).to.equal(Buffer.byteLength(built));
      }),
    );
  });
});
