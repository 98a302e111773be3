import { didYouMean } from '@horarium/core';
import { expect } from 'chai';

describe('didYouMean', () => {
  it('names what is nearest among a hundred names', () => {
    const names = Array.from({ length: 100 }, (_, index) => `VARIABLE_${index}`);
    expect(didYouMean('DATABSE', [...names, 'DATABASE'])).to.equal(' Did you mean DATABASE?');
    expect(didYouMean('COLOUR', names)).to.equal('');
  });

  it('compares no very long names, because each takes as many steps as its length has squared', () => {
    const stem = 'K'.repeat(63);
    expect(didYouMean(`${stem}1`, [`${stem}2`])).to.equal(` Did you mean ${stem}2?`);
    expect(didYouMean(`${stem}11`, [`${stem}12`])).to.equal('');
  });

  it('compares the first ones only of very many, because every other request waits meanwhile', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `${'X'.repeat(60)}${index}`);
    const given = `${'K'.repeat(60)}1`;
    expect(didYouMean(given, [`${given}2`, ...names])).to.equal(` Did you mean ${given}2?`);
    expect(didYouMean(given, [...names, `${given}2`])).to.equal('');
  });
});
