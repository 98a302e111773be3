import { mask } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { sliceSize } from '#core/redaction/redacted-stream';
import { Redactor, redact } from '#core/redaction/redactor';
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
  it('replaces every occurrence of a secret by the mask', () => {
    expect(redact('a s3cret, and s3cret again', ['s3cret'])).to.equal(`a ${mask}, and ${mask} again`);
    expect(redact('nothing here', ['s3cret'])).to.equal('nothing here');
    expect(redact('anything', [])).to.equal('anything');
  });

  it('replaces secrets that overlap or contain each other by one mask, and each of those that touch by its own', () => {
    expect(redact('xabcdx', ['abc', 'bcd'])).to.equal(`x${mask}x`);
    expect(redact('xabcdx abx', ['ab', 'abcd'])).to.equal(`x${mask}x ${mask}x`);
    expect(redact('xabcdefx', ['cd', 'abcdef', 'de'])).to.equal(`x${mask}x`);
    expect(redact('aaaaa', ['aa'])).to.equal(mask);
    expect(redact('s3crets3cret', ['s3cret'])).to.equal(mask + mask);
  });

  it('matches secrets literally, not as patterns', () => {
    expect(redact('a.c abc $& \\', ['a.c', '$&', '\\'])).to.equal(`${mask} abc ${mask} ${mask}`);
  });

  it('replaces each long line of a secret of several lines', () => {
    const key = '-----BEGIN-----\r\nQUJDREVGRw==\nend';
    expect(redact(`${key}|QUJDREVGRw==|end`, [key])).to.equal(`${mask}|${mask}|end`);
  });

  it('returns the rest of a text as it was, a byte order mark and a lone surrogate included', () => {
    expect(redact('\ufeffs3cret', ['s3cret'])).to.equal(`\ufeff${mask}`);
    expect(redact('\ufeff\ud800', ['s3cret'])).to.equal('\ufeff\ud800');
    expect(redact('s3cret', [' ', ''])).to.equal('s3cret');
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

/** A secret in none of the texts, large enough for a redactor to leave it out. */
const unused = `not there ${'x'.repeat(3000)}`;
const formsOf = (hidden: readonly string[]) => allForms(hidden).map((form) => Buffer.from(form, 'latin1'));

describe('Redactor', () => {
  it('does what comparing every secret at every place does, however the bytes are cut into pieces', () => {
    fc.assert(
      fc.property(text, secrets, cuts, (said, hidden, at) => {
        const bytes = Buffer.from(said);
        const shown = Buffer.concat(redactPieces(hidden, piecesOf(bytes, at)));
        expect(shown.toString()).to.equal(redactNaively(bytes, formsOf(hidden)).toString());
        expect(redact(said, hidden)).to.equal(shown.toString());
        expect(new Redactor([...hidden, unused]).within([said]).redact(said)).to.equal(shown.toString());
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
        const said = bytes.toString();
        expect(new Redactor([...given, unused]).within(['', said]).redact(said)).to.equal(redact(said, given));
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

  it('is built for some texts without the secrets that occur in none of them', () => {
    const large = Array.from(
      { length: 8 },
      (_, index) => `${index} ${'abcdefgh'.repeat(9000)}\n${index} is its last line`,
    );
    const redactor = new Redactor(['s3cret', ...large]);
    expect(redactor.within(['nothing of it', 'abcdefgh'.repeat(100)]).size).to.equal(0);
    expect(redactor.within(['a s3cret', Buffer.from('x s3cret').toString('base64')]).size).to.equal(6);
    expect(redactor.within(['7 is its last line']).size).to.equal(large[7]?.length);
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

  it('may be built before it is used, also with nothing to find', async () => {
    for (const [given, shown] of [
      [['s3cret'], mask],
      [[], 's3cret'],
      [[' '], 's3cret'],
    ] as const) {
      const redactor = new Redactor(given);
      await redactor.build();
      expect(redactor.redact('s3cret')).to.equal(shown);
    }
  });

  it('lets other work be done between the slices of a text', async () => {
    const long = 'a'.repeat(5 * sliceSize);
    const redactor = new Redactor(['s3cret']);
    const { result, turns } = await inSingleSteps(() => redactor.redactInSlices(`${long}s3cret`));
    expect(result).to.equal(long + mask);
    expect(turns).to.be.at.least(5);
  });

  it('redacts a megabyte that nearly matches a long secret everywhere, within seconds', () => {
    const before = process.cpuUsage();
    const secret = `${'a'.repeat(16_384)}b${'a'.repeat(16_383)}`;
    const bytes = Buffer.alloc(1024 * 1024, 'a');
    expect(Buffer.concat(redactPieces([secret], [bytes])).equals(bytes)).to.equal(true);
    const pieces = Array.from({ length: 20_000 }, () => Buffer.from('a'));
    expect(Buffer.concat(redactPieces([secret], pieces)).length).to.equal(20_000);
    // The time of the processor, because that of the clock is long on a busy machine.
    expect(process.cpuUsage(before).user).to.be.below(5_000_000);
  });
});
