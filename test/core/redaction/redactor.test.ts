import { mask } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { Automaton } from '#core/redaction/automaton';
import { Redactor, redact } from '#core/redaction/redactor';
import { sliceSize } from '#core/redaction/stream';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { allForms } from '../../support/redaction/all-forms.ts';
import { redactNaively } from '../../support/redaction/naive-redactor.ts';

/** Redacts the pieces of a stream. @returns what each piece made visible, and what the end did. */
function redactPieces(secrets: readonly string[], pieces: readonly Uint8Array[]): Buffer[] {
  const stream = new Redactor(secrets).stream();
  const shown = pieces.map((piece) => Buffer.concat([...stream.push(piece)]));
  return [...shown, Buffer.from(stream.end())];
}

const shownTexts = (secrets: readonly string[], ...pieces: string[]) =>
  redactPieces(
    secrets,
    pieces.map((piece) => Buffer.from(piece)),
  ).map(String);

describe('redact', () => {
  it('replaces every occurrence of a secret by the mask', async () => {
    expect(await redact('a s3cret, and s3cret again', ['s3cret'])).to.equal(`a ${mask}, and ${mask} again`);
    expect(await redact('nothing here', ['s3cret'])).to.equal('nothing here');
    expect(await redact('anything', [])).to.equal('anything');
  });

  it('replaces secrets that overlap or contain each other by one mask, and each of those that touch by its own', async () => {
    expect(await redact('xabcdx', ['abc', 'bcd'])).to.equal(`x${mask}x`);
    expect(await redact('xabcdx abx', ['ab', 'abcd'])).to.equal(`x${mask}x ${mask}x`);
    expect(await redact('xabcdefx', ['cd', 'abcdef', 'de'])).to.equal(`x${mask}x`);
    expect(await redact('aaaaa', ['aa'])).to.equal(mask);
    expect(await redact('s3crets3cret', ['s3cret'])).to.equal(mask + mask);
  });

  it('matches secrets literally, not as patterns', async () => {
    expect(await redact('a.c abc $& \\', ['a.c', '$&', '\\'])).to.equal(`${mask} abc ${mask} ${mask}`);
  });

  it('replaces each long line of a secret of several lines', async () => {
    const key = '-----BEGIN-----\r\nQUJDREVGRw==\nend';
    expect(await redact(`${key}|QUJDREVGRw==|end`, [key])).to.equal(`${mask}|${mask}|end`);
  });

  it('masks a text as a whole for secrets that are larger than a record may have', async () => {
    const secrets = ['x'.repeat(64 * 1024), 'y'];
    expect(await redact('anything', secrets.slice(0, 1))).to.equal('anything');
    expect([await redact('anything', secrets), await redact('', secrets)]).to.deep.equal([mask, '']);
  });

  it('returns the rest of a text as it was, a byte order mark and a lone surrogate included', async () => {
    expect(await redact('\ufeffs3cret', ['s3cret'])).to.equal(`\ufeff${mask}`);
    expect(await redact('\ufeff\ud800', ['s3cret'])).to.equal('\ufeff\ud800');
    expect(await redact('s3cret', [' ', ''])).to.equal('s3cret');
  });
});

// Few letters, so that secrets overlap, repeat and contain each other.
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', 'é', '✂'), maxLength: 90 });
const secrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '✂'), minLength: 1, maxLength: 9 }), {
  maxLength: 5,
});
const cuts = fc.array(fc.nat(120), { maxLength: 12 });

function piecesOf(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.filter((place) => place < whole.length).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((to, index) => whole.subarray(places[index], to));
}

const formsOf = (hidden: readonly string[]) => allForms(hidden).map((form) => Buffer.from(form, 'latin1'));

describe('Redactor', () => {
  it('does what comparing every secret at every place does, however the bytes are cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(text, secrets, cuts, async (said, hidden, at) => {
        const bytes = Buffer.from(said);
        const shown = Buffer.concat(redactPieces(hidden, piecesOf(bytes, at)));
        expect(shown.toString()).to.equal(redactNaively(bytes, formsOf(hidden)).toString());
        expect(await redact(said, hidden)).to.equal(shown.toString());
      }),
      { numRuns: 3000 },
    );
  });

  it('finds encoded forms among other bytes like comparing them at every place', () => {
    const parts = fc.array(fc.oneof(fc.nat(1000), fc.uint8Array({ maxLength: 3 })), { maxLength: 12 });
    const hidden = fc.array(fc.string({ unit: 'grapheme', minLength: 6, maxLength: 9 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(hidden, parts, cuts, (given, shares, at) => {
        const forms = formsOf(given);
        const bytes = Buffer.concat(
          shares.map((part) => (typeof part === 'number' ? (forms[part % forms.length] ?? Buffer.of()) : part)),
        );
        const shown = Buffer.concat(redactPieces(given, piecesOf(bytes, at)));
        expect(shown.equals(redactNaively(bytes, forms))).to.equal(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds long secrets that repeat themselves, in pieces of every size', () => {
    const secret = `${'ab'.repeat(300)}c${'ab'.repeat(300)}`;
    const bytes = Buffer.from(`${'ab'.repeat(900)}c${'ab'.repeat(900)}c${'ab'.repeat(200)}`);
    const expected = redactNaively(bytes, formsOf([secret]));
    for (const size of [1, 7, 600, 5000]) {
      const at = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size);
      expect(Buffer.concat(redactPieces([secret], piecesOf(bytes, at))).equals(expected)).to.equal(true);
    }
  });

  it('holds back only the end of what was said that may be the beginning of a secret', () => {
    const shown = shownTexts(['12345', '123'], 'abcdefgh', 'progress 1', '0%', '1234', '!', '12');
    expect(shown).to.deep.equal(['abcdefgh', 'progress ', '10%', '', `${mask}4!`, '', '12']);
    expect(shownTexts(['abc', 'cde'], 'abc', 'de!')).to.deep.equal([mask, '!', '']);
    expect(shownTexts([], 'abc')).to.deep.equal(['abc', '']);
  });

  it('returns bytes that are not text unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, at) => {
        const shown = redactPieces(['a secret that is not there'], piecesOf(Buffer.from(bytes), at));
        expect(Buffer.concat(shown).equals(bytes)).to.equal(true);
      }),
    );
  });

  it('works through a large piece in slices, and builds many secrets in steps', () => {
    const stream = new Redactor(['s3cret', 'another one']).stream();
    const steps = [...stream.push(Buffer.alloc(10 * sliceSize + 1, 'a'))];
    expect(steps.map(({ length }) => length)).to.deep.equal([
      sliceSize - 1,
      ...Array.from({ length: 9 }, () => sliceSize),
      1,
    ]);
    const many = Array.from({ length: 1000 }, (_, index) => `the ${index} of many secrets`);
    const manySteps = [...new Redactor(many).stream().push(Buffer.from('x'))];
    expect(manySteps.length).to.be.greaterThan(5);
    expect(Buffer.concat(manySteps).toString()).to.equal('x');
  });

  it('builds nothing before there is something to redact', async () => {
    const build = sinon.spy(Automaton, 'build');
    const redactor = new Redactor(['a s3cret']);
    const stream = redactor.stream();
    const pieces = [...stream.push(Buffer.of()), stream.cut(), stream.end()];
    expect(await redactor.redact('')).to.equal('');
    const before = build.callCount;
    expect(await redactor.redact('a s3cret')).to.equal(mask);
    build.restore();
    expect([before, build.callCount]).to.deep.equal([0, 1]);
    expect(Buffer.concat(pieces).length).to.equal(0);
  });

  it('lets other work be done between the slices of a text, and between many short ones', async () => {
    const long = 'a'.repeat(5 * sliceSize);
    const redactor = new Redactor(['s3cret']);
    const { result, turns } = await inSingleSteps(() => redactor.redact(`${long}s3cret`));
    expect(result).to.equal(long + mask);
    expect(turns).to.be.at.least(5);
    const short = await inSingleSteps(async () => {
      for (let index = 0; index < 20; index++) await redactor.redact('a s3cret');
    });
    expect(short.turns).to.be.at.least(20);
  });

  it('redacts megabytes that nearly match a long secret everywhere, in a time that does not grow with the secret', () => {
    // Comparing it at each place takes longer than a test may.
    const secret = `${'a'.repeat(32_768)}b${'a'.repeat(32_767)}`;
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'a');
    expect(Buffer.concat(redactPieces([secret], [bytes])).equals(bytes)).to.equal(true);
    const pieces = Array.from({ length: 20_000 }, () => Buffer.from('a'));
    expect(Buffer.concat(redactPieces([secret], pieces)).length).to.equal(20_000);
  });

  it('redacts a text in which every byte ends a secret that holds many others', () => {
    const nested = Array.from({ length: 360 }, (_, index) => 'a'.repeat(index + 1));
    const shown = redactPieces(nested, [Buffer.alloc(100_000, 'a'), Buffer.from('b')]);
    expect(Buffer.concat(shown).toString()).to.equal(`${mask}b`);
  });
});
