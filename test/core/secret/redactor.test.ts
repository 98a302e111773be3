import { ByteRedactor, mask, Redactor, redact } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';

describe('redact', () => {
  it('replaces every occurrence of a secret by the mask', () => {
    expect(redact('a s3cret, and s3cret again', ['s3cret'])).to.equal(`a ${mask}, and ${mask} again`);
    expect(redact('nothing here', ['s3cret'])).to.equal('nothing here');
    expect(redact('anything', [])).to.equal('anything');
    expect(redact('s3crets3cret', ['s3cret'])).to.equal(mask + mask);
  });

  it('hides secrets that overlap or contain each other as one', () => {
    expect(redact('xabcdx', ['abc', 'bcd'])).to.equal(`x${mask}x`);
    expect(redact('xabcdx abx', ['ab', 'abcd'])).to.equal(`x${mask}x ${mask}x`);
    expect(redact('aaaaa', ['aa'])).to.equal(mask);
  });

  it('matches secrets literally, not as patterns', () => {
    expect(redact('a.c abc $& \\', ['a.c', '$&', '\\'])).to.equal(`${mask} abc ${mask} ${mask}`);
  });

  it('hides each long line of a secret of several lines', () => {
    const key = '-----BEGIN-----\r\nQUJDREVGRw==\nend';
    expect(redact(`${key}|QUJDREVGRw==|end`, [key])).to.equal(`${mask}|${mask}|end`);
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

describe('Redactor', () => {
  it('returns the same text however it is cut into pieces', () => {
    fc.assert(
      fc.property(letters, secrets, cuts, (text, hidden, at) => {
        const masker = new Redactor(hidden);
        const shown = pieces(text, at).map((piece) => masker.next(piece));
        expect(shown.join('') + masker.end()).to.equal(redact(text, hidden));
      }),
      { numRuns: 2000 },
    );
  });

  it('hides exactly the characters that a secret covers', () => {
    fc.assert(
      fc.property(letters, secrets, (text, hidden) => {
        // Judged place by place: a character is shown if and only if no secret covers it.
        const covered = new Set<number>();
        for (const secret of hidden)
          for (let at = 0; at + secret.length <= text.length; at++)
            if (text.startsWith(secret, at)) for (let each = at; each < at + secret.length; each++) covered.add(each);
        const open = [...text].filter((_, at) => !covered.has(at)).join('');
        expect(redact(text, hidden).replaceAll(mask, '')).to.equal(open);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps back only an end that may yet become a secret', () => {
    const masker = new Redactor(['12345', '123']);
    expect(masker.next('abcdefgh')).to.equal('abcdefgh');
    expect(masker.next('progress 1')).to.equal('progress ');
    expect(masker.next('0%')).to.equal('10%');
    expect(masker.next('1234')).to.equal('');
    expect(masker.next('!')).to.equal(`${mask}4!`);
    expect(masker.next('12')).to.equal('');
    expect(masker.end()).to.equal('12');
  });

  it('returns text as it comes when there is nothing to hide', () => {
    expect(new Redactor([]).next('abc')).to.equal('abc');
    expect(new Redactor([' ', '']).next('a b')).to.equal('a b');
  });
});

describe('ByteRedactor', () => {
  it('redacts bytes like text, also where a piece ends inside a character', () => {
    fc.assert(
      fc.property(letters, secrets, cuts, (text, hidden, at) => {
        const masker = new ByteRedactor(hidden);
        const shown = pieces(Buffer.from(text), at).map((piece) => Buffer.from(masker.next(piece)));
        expect(Buffer.concat([...shown, masker.end()]).toString()).to.equal(redact(text, hidden));
      }),
      { numRuns: 1000 },
    );
  });

  it('returns bytes that are not text unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, at) => {
        const masker = new ByteRedactor(['a secret that is not there']);
        const shown = pieces(bytes, at).map((piece) => masker.next(piece));
        expect(Buffer.concat([...shown, masker.end()]).equals(bytes)).to.equal(true);
      }),
    );
  });

  it('redacts the largest output of a job within seconds', function () {
    this.timeout(20_000);
    const masker = new ByteRedactor(['s3cret', 'another one']);
    const chunk = Buffer.from('lines of output, one like the other\n'.repeat(1820));
    let size = 0;
    for (let count = 0; count < 160; count++) size += masker.next(chunk).length;
    expect(size + masker.end().length).to.equal(chunk.length * 160);
  });
});
