import { mask } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { ByteRedactor, Redactor, redact } from '#core/secret/redactor';

describe('redact', () => {
  it('replaces every occurrence of a secret by the mask', () => {
    expect(redact('a s3cret, and s3cret again', ['s3cret'])).to.equal(`a ${mask}, and ${mask} again`);
    expect(redact('nothing here', ['s3cret'])).to.equal('nothing here');
    expect(redact('anything', [])).to.equal('anything');
    expect(redact('s3crets3cret', ['s3cret'])).to.equal(mask + mask);
  });

  it('replaces secrets that overlap or contain each other by one mask', () => {
    expect(redact('xabcdx', ['abc', 'bcd'])).to.equal(`x${mask}x`);
    expect(redact('xabcdx abx', ['ab', 'abcd'])).to.equal(`x${mask}x ${mask}x`);
    expect(redact('aaaaa', ['aa'])).to.equal(mask);
  });

  it('matches secrets literally, not as patterns', () => {
    expect(redact('a.c abc $& \\', ['a.c', '$&', '\\'])).to.equal(`${mask} abc ${mask} ${mask}`);
  });

  it('replaces each long line of a secret of several lines', () => {
    const key = '-----BEGIN-----\r\nQUJDREVGRw==\nend';
    expect(redact(`${key}|QUJDREVGRw==|end`, [key])).to.equal(`${mask}|${mask}|end`);
  });
});

// Few letters, so that secrets overlap, repeat and contain each other.
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
        const redactor = new Redactor(hidden);
        const redacted = pieces(text, at).map((piece) => redactor.next(piece));
        expect(redacted.join('') + redactor.end()).to.equal(redact(text, hidden));
      }),
      { numRuns: 2000 },
    );
  });

  it('replaces exactly the characters that are part of a secret', () => {
    fc.assert(
      fc.property(letters, secrets, (text, hidden) => {
        // Checks each character: it remains if and only if no secret covers it.
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

  it('withholds only the end of the text that may be the beginning of a secret', () => {
    const redactor = new Redactor(['12345', '123']);
    expect(redactor.next('abcdefgh')).to.equal('abcdefgh');
    expect(redactor.next('progress 1')).to.equal('progress ');
    expect(redactor.next('0%')).to.equal('10%');
    expect(redactor.next('1234')).to.equal('');
    expect(redactor.next('!')).to.equal(`${mask}4!`);
    expect(redactor.next('12')).to.equal('');
    expect(redactor.end()).to.equal('12');
  });

  it('withholds nothing when there are no secrets', () => {
    expect(new Redactor([]).next('abc')).to.equal('abc');
    expect(new Redactor([' ', '']).next('a b')).to.equal('a b');
  });
});

describe('ByteRedactor', () => {
  it('redacts bytes like text, also where a piece ends inside a character', () => {
    fc.assert(
      fc.property(letters, secrets, cuts, (text, hidden, at) => {
        const redactor = new ByteRedactor(hidden);
        const redacted = pieces(Buffer.from(text), at).map((piece) => Buffer.from(redactor.next(piece)));
        expect(Buffer.concat([...redacted, redactor.end()]).toString()).to.equal(redact(text, hidden));
      }),
      { numRuns: 1000 },
    );
  });

  it('returns bytes that are not text unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, at) => {
        const redactor = new ByteRedactor(['a secret that is not there']);
        const redacted = pieces(bytes, at).map((piece) => redactor.next(piece));
        expect(Buffer.concat([...redacted, redactor.end()]).equals(bytes)).to.equal(true);
      }),
    );
  });

  it('redacts 10 MiB of output within seconds', function () {
    this.timeout(20_000);
    const redactor = new ByteRedactor(['s3cret', 'another one']);
    const chunk = Buffer.from('lines of output, one like the other\n'.repeat(1820));
    let size = 0;
    for (let count = 0; count < 160; count++) size += redactor.next(chunk).length;
    expect(size + redactor.end().length).to.equal(chunk.length * 160);
  });
});
