import { expect } from 'chai';
import fc from 'fast-check';
import { concatenate } from '#core/bytes/concatenate';
import { Redactor } from '#core/redaction/redactor';
import type { RedactedStream } from '#core/redaction/stream';

const letters = fc.constantFrom('a', 'b', 'c');
const word = fc.string({ unit: letters, minLength: 4, maxLength: 9 });
const secrets = fc.array(word, { minLength: 1, maxLength: 4 });
/** Texts with secrets, parts of them, and what is neither. */
const text = secrets.chain((given) => {
  const part = fc.oneof(fc.constantFrom(...given), fc.string({ unit: letters, maxLength: 6 }), fc.constant('-'));
  return fc.array(part, { maxLength: 12 }).map((parts) => ({ given, text: parts.join('') }));
});

function push(stream: RedactedStream, bytes: Uint8Array): Uint8Array {
  return concatenate([...stream.push(bytes)]);
}

/** Redacts a text with one stream. */
function redactWhole(given: readonly string[], bytes: Uint8Array): Uint8Array {
  const stream = new Redactor(given).stream();
  return concatenate([push(stream, bytes), stream.end()]);
}

/** Redacts the same with a new stream behind each cut, of which each goes on with what the one before has kept. */
function redactInTurns(given: readonly string[], bytes: Uint8Array, cuts: readonly number[]): Uint8Array {
  const shown: Uint8Array[] = [];
  let stream = new Redactor(given).stream();
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    shown.push(push(stream, bytes.subarray(at, cut)));
    at = cut;
    const { kept } = stream;
    stream = new Redactor(given).stream();
    if (kept) shown.push(...stream.resume(kept));
  }
  return concatenate([...shown, stream.end()]);
}

describe('A redacted stream that goes on where another one stopped', () => {
  it('shows what one stream alone would, wherever they take turns', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(80), { maxLength: 5 }), ({ given, text }, places) => {
        const bytes = new TextEncoder().encode(text);
        const cuts = places.filter((place) => place <= bytes.length).sort((one, other) => one - other);
        const expected = new TextDecoder().decode(redactWhole(given, bytes));
        expect(new TextDecoder().decode(redactInTurns(given, bytes, cuts))).to.equal(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not show the part of a secret whose mask the other one has shown', () => {
    const given = ['first-abc', 'abc-second'];
    expect(new TextDecoder().decode(redactInTurns(given, new TextEncoder().encode('first-abc!'), [9]))).to.equal(
      '••••••••!',
    );
  });
});
