import type { Clock, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';

/** How often a statement runs: PostgreSQL ends a transaction that has been idle for 8 s, because its process seems to hang. */
const interval: Milliseconds = 2000;

/** Waits, inside a transaction, for a file or another program, however slow it is. */
export async function keepAlive<T>(tables: Tables, clock: Pick<Clock, 'sleep'>, awaited: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const result = awaited.finally(() => stop.abort());
  while (!stop.signal.aborted) {
    await yieldToEventLoop();
    await Promise.race([result, clock.sleep(interval, stop.signal)]);
    if (!stop.signal.aborted) await tables.of(Setting).count([], 1);
  }
  return result;
}
