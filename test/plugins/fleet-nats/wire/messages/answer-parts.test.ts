import { expect } from 'chai';
import fc from 'fast-check';
import { AnswerParts, splitAnswer } from '../../../../../plugins/fleet-nats/wire/messages/answer-parts.ts';

const maxPart = 512 * 1024;

describe('The parts of an answer', () => {
  it('make the answer again in any order, doubled too, and only when all have come', () => {
    const answers = fc.tuple(
      fc.constantFrom(0, 1, maxPart - 1, maxPart, maxPart + 1, 3 * maxPart, 4 * maxPart - 5),
      fc.nat(255),
    );
    fc.assert(
      fc.property(answers, fc.infiniteStream(fc.nat()), ([length, start], choices) => {
        const answer = Buffer.from({ length } as never).map((_, at) => (start + at) % 251);
        const parts = splitAnswer(answer);
        const missing = new Set(parts.map(({ part }) => part));
        const collected = new AnswerParts();
        for (const choice of choices) {
          const { part, payload } = parts[choice % parts.length] as (typeof parts)[number];
          missing.delete(part);
          const whole = collected.add(part, payload);
          if (missing.size > 0) expect(whole).to.equal(undefined);
          else {
            expect(Buffer.compare(whole as Uint8Array, answer)).to.equal(0);
            break;
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are as large as NATS takes, each with its number', () => {
    const parts = splitAnswer(Buffer.alloc(2 * maxPart + 1));
    expect(parts.map(({ part, payload }) => [part, payload.length])).to.deep.equal([
      ['1/3', maxPart],
      ['2/3', maxPart],
      ['3/3', 1],
    ]);
  });

  const noPart =
    'A message is no part of an answer: its header Part is not k/n with n up to 33, or it is longer than 524288 bytes.';
  for (const header of ['', '1', '0/1', '2/1', '1/34', '1/0', '-1/2', '1/2/3', '1 / 2', '1e1/20', '9999/9999'])
    it(`are refused with the header ${JSON.stringify(header)}`, () => {
      expect(() => new AnswerParts().add(header, Buffer.alloc(1))).to.throw(noPart);
    });

  it('are refused where they are too long', () => {
    expect(() => new AnswerParts().add('1/1', Buffer.alloc(maxPart + 1))).to.throw(noPart);
  });

  it('are refused where they are of an answer with another number of parts', () => {
    const parts = new AnswerParts();
    parts.add('1/2', Buffer.alloc(1));
    expect(() => parts.add('1/3', Buffer.alloc(1))).to.throw(
      'A message is a part of another answer: the number of parts differs.',
    );
  });
});
