import { ByteMasker, mask, maskSecrets, SecretMasker } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';

describe('maskSecrets', () => {
  it('hides every secret wherever it stands', () => {
    expect(maskSecrets('a s3cret, and s3cret again', ['s3cret'])).to.equal(`a ${mask}, and ${mask} again`);
    expect(maskSecrets('nothing here', ['s3cret'])).to.equal('nothing here');
    expect(maskSecrets('anything', [])).to.equal('anything');
    expect(maskSecrets('s3crets3cret', ['s3cret'])).to.equal(mask + mask);
  });

  it('hides the whole of secrets that overlap or hold each other', () => {
    expect(maskSecrets('xabcdx', ['abc', 'bcd'])).to.equal(`x${mask}x`);
    expect(maskSecrets('xabcdx abx', ['ab', 'abcd'])).to.equal(`x${mask}x ${mask}x`);
    expect(maskSecrets('aaaaa', ['aa'])).to.equal(mask);
  });

  it('takes secrets as they are, not as patterns', () => {
    expect(maskSecrets('a.c abc $& \\', ['a.c', '$&', '\\'])).to.equal(`${mask} abc ${mask} ${mask}`);
  });

  it('hides the long lines of a secret of several lines, too', () => {
    const key = '-----BEGIN-----\r\nQUJDREVGRw==\nend';
    expect(maskSecrets(`${key}|QUJDREVGRw==|end`, [key])).to.equal(`${mask}|${mask}|end`);
  });
});

// Few letters, so that secrets overlap, repeat and hold each other.
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', 'é', '✂'), maxLength: 60 });
const secrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '✂'), minLength: 1, maxLength: 5 }), {
  maxLength: 4,
});
const cuts = fc.array(fc.nat(80), { maxLength: 12 });

function pieces<T extends { length: number; slice(from: number, to: number): T }>(
  whole: T,
  at: readonly number[],
): T[] {
  const places = [0, ...at.filter((place) => place < whole.length).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((to, index) => whole.slice(places[index] as number, to));
}

describe('SecretMasker', () => {
  it('gives the same however the text is cut', () => {
    fc.assert(
      fc.property(letters, secrets, cuts, (text, hidden, at) => {
        const masker = new SecretMasker(hidden);
        const shown = pieces(text, at).map((piece) => masker.next(piece));
        expect(shown.join('') + masker.end()).to.equal(maskSecrets(text, hidden));
      }),
      { numRuns: 2000 },
    );
  });

  it('hides exactly what a secret covers', () => {
    fc.assert(
      fc.property(letters, secrets, (text, hidden) => {
        // Judged place by place: a character is shown if and only if no secret covers it.
        const covered = new Set<number>();
        for (const secret of hidden)
          for (let at = 0; at + secret.length <= text.length; at++)
            if (text.startsWith(secret, at)) for (let each = at; each < at + secret.length; each++) covered.add(each);
        const open = [...text].filter((_, at) => !covered.has(at)).join('');
        expect(maskSecrets(text, hidden).replaceAll(mask, '')).to.equal(open);
      }),
      { numRuns: 2000 },
    );
  });

  it('holds back what may yet become a secret, and nothing else', () => {
    const masker = new SecretMasker(['12345', '123']);
    expect(masker.next('abcdefgh')).to.equal('abcdefgh');
    expect(masker.next('progress 1')).to.equal('progress ');
    expect(masker.next('0%')).to.equal('10%');
    expect(masker.next('1234')).to.equal('');
    expect(masker.next('!')).to.equal(`${mask}4!`);
    expect(masker.next('12')).to.equal('');
    expect(masker.end()).to.equal('12');
  });

  it('gives text as it comes when there is nothing to hide', () => {
    expect(new SecretMasker([]).next('abc')).to.equal('abc');
    expect(new SecretMasker([' ', '']).next('a b')).to.equal('a b');
  });
});

describe('ByteMasker', () => {
  it('does the same with bytes, also where a letter of several bytes is cut', () => {
    fc.assert(
      fc.property(letters, secrets, cuts, (text, hidden, at) => {
        const masker = new ByteMasker(hidden);
        const shown = pieces(Buffer.from(text), at).map((piece) => Buffer.from(masker.next(piece)));
        expect(Buffer.concat([...shown, masker.end()]).toString()).to.equal(maskSecrets(text, hidden));
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves bytes alone that are no text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, at) => {
        const masker = new ByteMasker(['a secret that is not there']);
        const shown = pieces(bytes, at).map((piece) => masker.next(piece));
        expect(Buffer.concat([...shown, masker.end()]).equals(bytes)).to.equal(true);
      }),
    );
  });

  it('keeps up with what a job may write', function () {
    this.timeout(20_000);
    const masker = new ByteMasker(['s3cret', 'another one']);
    const chunk = Buffer.from('lines of output, one like the other\n'.repeat(1820));
    let size = 0;
    for (let count = 0; count < 160; count++) size += masker.next(chunk).length;
    expect(size + masker.end().length).to.equal(chunk.length * 160);
  });
});
