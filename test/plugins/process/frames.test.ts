import { expect } from 'chai';
import fc from 'fast-check';
import { encodeFrame, encodeMessage, FrameReader } from '../../../plugins/process/frames.ts';

const frame = fc.record({
  kind: fc.constantFrom(0, 1, 2),
  attempt: fc.nat(2 ** 32 - 1),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

describe('Frames', () => {
  it('are decoded as they were encoded, however the stream is split into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        (frames, lengths) => {
          const stream = Buffer.concat(frames.map(({ kind, attempt, payload }) => encodeFrame(kind, attempt, payload)));
          const reader = new FrameReader();
          const read: object[] = [];
          for (let at = 0, chunk = 0; at < stream.length; chunk++) {
            const length = lengths[chunk % lengths.length] as number;
            read.push(...reader.push(stream.subarray(at, at + length)));
            at += length;
          }
          expect(read).to.deep.equal(frames);
        },
      ),
    );
  });

  it('carry messages as JSON in UTF-8', () => {
    const [read] = new FrameReader().push(encodeMessage(3, { reason: 'Žluťoučký kůň' }));
    expect(read).to.include({ kind: 0, attempt: 3 });
    expect(JSON.parse(String(read?.payload))).to.deep.equal({ reason: 'Žluťoučký kůň' });
  });
});
