import { DatabaseBusy, KeyTaken, StaleRow } from '../errors.ts';
import { resumeThread } from '../loop/thread-holder.ts';

/**
 * How often a transaction is run in all. A taken key needs one retry, because by then the row that has it can be found;
 * a stale row a few, because others may change it again.
 */
function maxAttempts(error: unknown): number {
  if (error instanceof DatabaseBusy) return 15;
  if (error instanceof StaleRow) return 5;
  return error instanceof KeyTaken ? 2 : 1;
}

/**
 * Runs a transaction again while it fails by what other transactions did meanwhile: the one retry loop of every store.
 * @param backoff waits before the next attempt where the database was busy.
 * @throws what the last attempt threw.
 */
export async function retryTransaction<T>(
  run: () => Promise<T>,
  backoff: (attempt: number) => Promise<void> = async () => undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= maxAttempts(error)) throw error;
      if (error instanceof DatabaseBusy) await backoff(attempt);
    } finally {
      resumeThread();
    }
  }
}
