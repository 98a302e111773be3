import { expect } from 'chai';
import { fold, rankOf } from '#core/search/words';

describe('The words of a search', () => {
  for (const [text, folded] of [
    ['Nightly BACKUP', 'nightly backup'],
    ['Záloha Účtů', 'zaloha uctu'],
    ['ŘEPA', 'repa'],
    ['Ｆ', 'ｆ'],
    ['ЁЖ', 'еж'],
    ['', ''],
  ] as const)
    it(`are compared as ${folded} in ${text}`, () => {
      expect(fold(text)).to.equal(folded);
    });

  const texts = { title: 'nightly-backup of the shop', others: ['pg_dump', 'erp 7'], context: 'acme inc.' };

  it('are found in any order, in the title, the other texts and what the record belongs to', () => {
    for (const words of [['shop', 'backup'], ['backup', 'shop'], ['dump', 'night'], ['acme', 'erp'], []])
      expect(rankOf(words, texts), words.join(' ')).to.be.a('number');
    for (const words of [['shop', 'missing'], ['missing'], ['backup of of']])
      expect(rankOf(words, texts), words.join(' ')).to.equal(null);
  });

  it('count most where a title begins, then where a word of it does, then in other texts, then inside of words', () => {
    const ranks = ['night', 'backup', 'pg', '7', 'ackup', 'acme'].map((word) => rankOf([word], texts) as number);
    expect(ranks).to.deep.equal([...ranks].sort((one, other) => one - other));
    expect(new Set(ranks).size).to.equal(ranks.length);
  });

  it('begin after whatever is no letter and no digit, and not after one with an accent', () => {
    const at = (title: string) => rankOf(['op'], { title, others: [], context: '' });
    expect(at('the-op')).to.equal(at('the op'));
    expect(at('shop')).to.be.above(at('the op') as number);
    expect(at('éop')).to.equal(at('shop'));
    expect(at('shop op')).to.equal(at('the op'));
  });
});
