import type { LiveAttempt } from '../attempt/live-attempt.ts';
import type { Milliseconds } from '../loop/clock.ts';

const longest: Milliseconds = 10;

/**
 * How long to gather what happens to attempts before it is written. A round costs much the same whether one of them
 * ended or ten, so the more of them still run, the longer it waits for their ends; where none does, nothing follows.
 */
export function gatheringBeside(attempts: Iterable<Pick<LiveAttempt, 'outcome'>>): Milliseconds {
  let running = 0;
  for (const { outcome } of attempts) if (!outcome && ++running === longest) break;
  return running;
}
