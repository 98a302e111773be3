import { expect } from 'chai';
import fc from 'fast-check';
import { OutputBuffer } from '#core/worker/output-buffer';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (chunks: readonly { readonly stream: string; readonly data: Uint8Array; readonly seq: number }[]) =>
  chunks.map(({ stream, data, seq }) => `${seq} ${stream} ${new TextDecoder().decode(data)}`);

describe('OutputBuffer', () => {
  it('joins adjacent chunks of one stream and numbers them', () => {
    const buffer = new OutputBuffer();
    for (const [stream, text] of [
      ['stdout', 'a'],
      ['stdout', 'b'],
      ['stderr', 'c'],
      ['stdout', 'd'],
    ] as const)
      void buffer.add({ stream, at: 1, data: bytes(text) });
    expect(texts(buffer.peek().chunks)).to.deep.equal(['0 stdout ab', '1 stderr c', '2 stdout d']);
    expect(buffer.size).to.equal(4);
  });

  it('returns the same chunks until they are written, followed by those added since', () => {
    const buffer = new OutputBuffer();
    void buffer.add({ stream: 'stdout', at: 1, data: bytes('a') });
    const first = buffer.peek();
    void buffer.add({ stream: 'stdout', at: 2, data: bytes('b') });
    expect(texts(buffer.peek().chunks)).to.deep.equal(['0 stdout a', '1 stdout b']);
    void buffer.add({ stream: 'stdout', at: 3, data: bytes('c') });
    buffer.written(first);
    expect(texts(buffer.peek().chunks)).to.deep.equal(['1 stdout b', '2 stdout c']);
    expect(buffer.size).to.equal(2);
  });

  it('is due 200 ms after its oldest chunk, or immediately from 32 KiB on', () => {
    const buffer = new OutputBuffer();
    expect(buffer.untilDue(0)).to.equal(Infinity);
    void buffer.add({ stream: 'stdout', at: 1000, data: bytes('a') });
    void buffer.add({ stream: 'stdout', at: 1150, data: bytes('a') });
    expect(buffer.untilDue(1000)).to.equal(200);
    expect(buffer.untilDue(1150)).to.equal(50);
    expect(buffer.untilDue(1200)).to.be.at.most(0);
    void buffer.add({ stream: 'stdout', at: 1150, data: new Uint8Array(32 * 1024) });
    expect(buffer.untilDue(1000)).to.equal(0);
  });

  it('is due after at most 200 ms even when the clock is set back', () => {
    const buffer = new OutputBuffer();
    void buffer.add({ stream: 'stdout', at: 100_000, data: bytes('a') });
    expect(buffer.untilDue(0)).to.equal(200);
  });

  it('makes the job wait while 256 KiB are unwritten', async () => {
    const buffer = new OutputBuffer();
    expect(buffer.add({ stream: 'stdout', at: 0, data: new Uint8Array(256 * 1024) })).to.equal(undefined);
    let resumed = false;
    const room = buffer.add({ stream: 'stdout', at: 0, data: bytes('x') });
    void Promise.resolve(room).then(() => {
      resumed = true;
    });
    await Promise.resolve();
    expect([room instanceof Promise, resumed]).to.deep.equal([true, false]);
    buffer.written(buffer.peek());
    await room;
    expect([resumed, buffer.size]).to.deep.equal([true, 0]);
  });

  it('returns every byte once, in order and numbered without gaps, in any sequence of adds, peeks and writes', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), stream: fc.constantFrom('stdout' as const, 'stderr' as const) }),
      fc.record({ kind: fc.constantFrom('peek' as const, 'write' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const buffer = new OutputBuffer();
        const stored = new Map<number, { stream: string; data: Uint8Array }>();
        let added = '';
        let letter = 0;
        let peeked: ReturnType<OutputBuffer['peek']> | null = null;
        // Every peek is committed to the store; only a `write` acknowledges the commit to the buffer.
        const commit = () => {
          peeked = buffer.peek();
          for (const { seq, stream, data } of peeked.chunks) if (!stored.has(seq)) stored.set(seq, { stream, data });
        };
        for (const operation of steps) {
          if (operation.kind === 'add') {
            const text = String.fromCharCode(97 + (letter++ % 26));
            added += `${operation.stream}:${text} `;
            void buffer.add({ stream: operation.stream, at: letter, data: bytes(text) });
          } else {
            commit();
            if (operation.kind === 'write' && peeked) buffer.written(peeked);
          }
        }
        commit();
        const written = [...stored.keys()].map((seq, index) => {
          expect(seq).to.equal(index);
          const { stream, data } = stored.get(seq) as { stream: string; data: Uint8Array };
          return [...new TextDecoder().decode(data)].map((text) => `${stream}:${text} `).join('');
        });
        expect(written.join('')).to.equal(added);
      }),
    );
  });
});
