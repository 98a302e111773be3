import { checkedFetch } from '../support/http/checked-fetch.ts';
import type { Target } from './target.ts';

/** What the service measures of its process, which is the same on a busy machine. */
export interface ServiceMetrics {
  /** The bytes of memory that the process holds. */
  readonly memory: number;
  /** The seconds of processor time that it has used. */
  readonly processor: number;
  /** How often its event loop was blocked for longer than the limit, the time in which it waited for a processor left out. */
  readonly longBlocks: number;
}

/** A limit of the histogram of blocks, in seconds. */
type BlockLimit = 0.5 | 2.5;

export async function readMetrics({ url, admin }: Target, limit: BlockLimit = 2.5): Promise<ServiceMetrics> {
  const response = await checkedFetch(new URL('/metrics', url).href, { headers: admin.headers });
  const text = await response.text();
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  const blocks = sum(/^horarium_event_loop_blocked_seconds_count(?:\{.*\})? (\S+)$/gm);
  const short = sum(new RegExp(`^horarium_event_loop_blocked_seconds_bucket\\{.*le="${limit}".*\\} (\\S+)$`, 'gm'));
  return {
    memory: sum(/^process_resident_memory_bytes (\S+)$/gm),
    processor: sum(/^process_cpu_seconds_total (\S+)$/gm),
    longBlocks: blocks - short,
  };
}

/** Does something. @returns its result, and a sentence if the service did nothing else meanwhile for long. */
export async function findLongBlock<Result>(
  target: Target,
  work: () => Promise<Result>,
  limit: BlockLimit = 2.5,
): Promise<{ readonly result: Result; readonly block: string | null }> {
  const before = await readMetrics(target, limit);
  const result = await work();
  const count = (await readMetrics(target, limit)).longBlocks - before.longBlocks;
  return { result, block: count > 0 ? `the event loop was blocked ${count} times for more than ${limit} s` : null };
}
