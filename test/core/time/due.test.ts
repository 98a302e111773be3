import { expect } from 'chai';
import fc from 'fast-check';
import { dueAt, jitterOf } from '#core/time/due';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 21, 5);
const window = { start, end: start + hour };

describe('A due time', () => {
  it('is the start of the window plus the delay', () => {
    expect(dueAt({ delay: 0, jitter: 0 }, window, 1)).to.equal(start);
    expect(dueAt({ delay: 90, jitter: 0 }, window, 1)).to.equal(start + 90_000);
  });

  it('is at most one second before the end of a window that is shorter than the delay', () => {
    expect(dueAt({ delay: 3600, jitter: 0 }, window, 1)).to.equal(window.end - 1000);
    expect(dueAt({ delay: 5, jitter: 5 }, { start, end: start + 1000 }, 1)).to.equal(start);
  });

  it('has the same jitter on every host', () => {
    // The values are fixed, because two versions of the service that share a store must agree on them.
    expect([jitterOf(600, 1, start), jitterOf(600, 2, start), jitterOf(600, 1, start + hour)]).to.deep.equal([
      358_613, 29_470, 540_453,
    ]);
  });

  it('has a jitter up to the given seconds, evenly distributed', () => {
    const tenths: number[] = Array(10).fill(0);
    for (let template = 1; template <= 100; template++)
      for (let hours = 0; hours < 100; hours++) {
        const jitter = jitterOf(60, template, start + hours * hour);
        expect(jitter).to.be.within(0, 60_000);
        const tenth = Math.min(9, Math.floor(jitter / 6_000));
        tenths[tenth] = (tenths[tenth] ?? 0) + 1;
      }
    for (const count of tenths) expect(count).to.be.within(850, 1150);
  });

  it('is inside the window for every delay and jitter', () => {
    const seconds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(seconds, seconds, fc.integer({ min: 1, max: 1e6 }), fc.nat(), (delay, jitter, length, template) => {
        const due = dueAt({ delay, jitter }, { start, end: start + length * 1000 }, template);
        expect(due).to.be.within(start, start + length * 1000 - 1);
        expect(Number.isSafeInteger(due)).to.equal(true);
      }),
    );
  });
});
