import { expect } from 'chai';
import fc from 'fast-check';
import { type Backoff, retryAt, retryDelay } from '#core/time/retry';

const policyOf = (retry_backoff: Backoff, retry_delay: number, retry_max_delay: number | null = null) => ({
  retry_backoff,
  retry_delay,
  retry_max_delay,
});

describe('A retry', () => {
  /** Each row: the retry policy, and the seconds to wait after attempts 1 to 5. */
  const table: [ReturnType<typeof policyOf>, number[]][] = [
    [policyOf('none', 60), [0, 0, 0, 0, 0]],
    [policyOf('fixed', 60), [60, 60, 60, 60, 60]],
    [policyOf('linear', 60), [60, 120, 180, 240, 300]],
    [policyOf('exponential', 60), [60, 120, 240, 480, 960]],
    [policyOf('fixed', 60, 45), [45, 45, 45, 45, 45]],
    [policyOf('linear', 60, 150), [60, 120, 150, 150, 150]],
    [policyOf('exponential', 60, 300), [60, 120, 240, 300, 300]],
    [policyOf('exponential', 0), [0, 0, 0, 0, 0]],
    [policyOf('exponential', 60, 0), [0, 0, 0, 0, 0]],
  ];
  for (const [policy, seconds] of table)
    it(`with ${policy.retry_backoff} backoff of ${policy.retry_delay} s and at most ${policy.retry_max_delay} s waits ${seconds.join(', ')} s`, () => {
      expect([1, 2, 3, 4, 5].map((attempts) => retryDelay(policy, attempts) / 1000)).to.deep.equal(seconds);
      expect(retryAt(policy, 3, 1_000_000)).to.equal(1_000_000 + (seconds[2] ?? Number.NaN) * 1000);
    });

  it('is at an instant that can be stored, however many attempts there were', () => {
    const max = 2 ** 31 - 1;
    fc.assert(
      fc.property(
        fc.constantFrom<Backoff>('none', 'fixed', 'linear', 'exponential'),
        fc.integer({ min: 0, max }),
        fc.option(fc.integer({ min: 0, max })),
        fc.integer({ min: 1, max }),
        fc.integer({ min: 0, max: Date.UTC(9000, 0, 1) }),
        (backoff, delay, maxDelay, attempts, finished) => {
          const at = retryAt(policyOf(backoff, delay, maxDelay), attempts, finished);
          expect(at).to.be.at.least(finished);
          expect(new Date(at).toISOString()).to.match(/^\d{4}-/);
          expect(Number.isSafeInteger(at)).to.equal(true);
          if (maxDelay !== null) expect(at).to.be.at.most(finished + maxDelay * 1000);
        },
      ),
    );
  });
});
