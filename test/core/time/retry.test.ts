import { type Backoff, retryAt, retryDelay } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';

const rule = (retry_backoff: Backoff, retry_delay: number, retry_max_delay: number | null = null) => ({
  retry_backoff,
  retry_delay,
  retry_max_delay,
});

describe('retry', () => {
  /** Each row: the rule, and the seconds to wait after attempts 1 to 5. */
  const table: [ReturnType<typeof rule>, number[]][] = [
    [rule('none', 60), [0, 0, 0, 0, 0]],
    [rule('fixed', 60), [60, 60, 60, 60, 60]],
    [rule('linear', 60), [60, 120, 180, 240, 300]],
    [rule('exponential', 60), [60, 120, 240, 480, 960]],
    [rule('fixed', 60, 45), [45, 45, 45, 45, 45]],
    [rule('linear', 60, 150), [60, 120, 150, 150, 150]],
    [rule('exponential', 60, 300), [60, 120, 240, 300, 300]],
    [rule('exponential', 0), [0, 0, 0, 0, 0]],
    [rule('exponential', 60, 0), [0, 0, 0, 0, 0]],
  ];
  for (const [given, seconds] of table)
    it(`${given.retry_backoff} of ${given.retry_delay} s under ${given.retry_max_delay} s waits ${seconds.join(', ')} s`, () => {
      expect([1, 2, 3, 4, 5].map((attempts) => retryDelay(given, attempts) / 1000)).to.deep.equal(seconds);
      expect(retryAt(given, 3, 1_000_000)).to.equal(1_000_000 + (seconds[2] ?? Number.NaN) * 1000);
    });

  it('is an instant that can be stored, however many attempts there were', () => {
    const largest = 2 ** 31 - 1;
    fc.assert(
      fc.property(
        fc.constantFrom<Backoff>('none', 'fixed', 'linear', 'exponential'),
        fc.integer({ min: 0, max: largest }),
        fc.option(fc.integer({ min: 0, max: largest })),
        fc.integer({ min: 1, max: largest }),
        fc.integer({ min: 0, max: Date.UTC(9000, 0, 1) }),
        (backoff, delay, cap, attempts, finished) => {
          const at = retryAt(rule(backoff, delay, cap), attempts, finished);
          expect(at).to.be.at.least(finished);
          expect(new Date(at).toISOString()).to.match(/^\d{4}-/);
          expect(Number.isSafeInteger(at)).to.equal(true);
          if (cap !== null) expect(at).to.be.at.most(finished + cap * 1000);
        },
      ),
    );
  });
});
