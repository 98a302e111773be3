import type { Clock, Milliseconds } from '@horarium/core/plugin';

/**
 * Waits for what a request resolves with, but no longer than the limit, and not after `closing` has aborted. The signal of the
 * request aborts when the wait is over.
 * @throws what the request throws; Error with the end of a sentence when the wait is over before it settles.
 */
export async function within<T>(
  clock: Clock,
  limit: Milliseconds,
  closing: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const end = () => over.abort('over');
  if (closing.aborted) end();
  closing.addEventListener('abort', end, { once: true });
  try {
    const requested = request(over.signal);
    const tooLong = clock.sleep(limit, over.signal).then(() => {
      throw new Error(closing.aborted ? 'the agent is shutting down' : `nothing answered within ${limit / 1000} s`);
    });
    return await Promise.race([requested, tooLong]);
  } finally {
    closing.removeEventListener('abort', end);
    end();
  }
}
