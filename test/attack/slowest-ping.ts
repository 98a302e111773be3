import { checkedFetch } from '../support/http/checked-fetch.ts';
import type { Target } from './target.ts';

/** Sends pings one after the other while something is done, and measures the slowest, in milliseconds. */
export async function slowestPing<Result>(
  target: Target,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly milliseconds: number }> {
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  let milliseconds = 0;
  while (!isDone) {
    const start = performance.now();
    await (await checkedFetch(`${target.url}/ping.json`)).arrayBuffer();
    milliseconds = Math.max(milliseconds, Math.round(performance.now() - start));
  }
  return { result: await done, milliseconds };
}
