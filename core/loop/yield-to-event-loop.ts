import type { Milliseconds } from './clock.ts';
import { resumeThread } from './thread-holder.ts';

/** For how long all loops of this process together use its thread before each of them gives way. */
export const timeSlice: { duration: Milliseconds } = { duration: 10 };

/** How often a loop of the lane `bulk` goes first, so that it ends however many others there are. */
const bulkTurns = 8;

/**
 * The loops that wait for their turn: `work` that others may wait for, such as one in a transaction that has a lock, and
 * `bulk`, which writes long lists, for which no other request waits.
 */
const lanes = { work: [] as (() => void)[], bulk: [] as (() => void)[] };

/** When the first loop of this turn of the event loop began; null = none has. */
let begun: Milliseconds | null = null;
let isEnding = false;
let turns = 0;

/**
 * Gives way to everything else that waits for the thread, where loops have used it for longer than a slice of time. The
 * slice is that of the process, so that many short loops give way as one long loop does: in a
 * turn of the event loop one waiting loop goes on. Every loop over stored rows calls it, once for each.
 */
export function yieldToEventLoop(lane: keyof typeof lanes = 'work'): Promise<void> | undefined {
  const now = performance.now();
  begun ??= now;
  if (!isEnding) endTurn();
  if (now - begun < timeSlice.duration) return undefined;
  return new Promise<void>((resolve) => lanes[lane].push(resolve)).then(resumeThread);
}

/** Ends the slice with this turn of the event loop, in which one more loop goes on before. */
function endTurn(): void {
  isEnding = true;
  setImmediate(resumeOne);
  // Runs after that loop has gone as far as it goes.
  setImmediate(() => {
    begun = null;
    isEnding = false;
    if (lanes.work.length > 0 || lanes.bulk.length > 0) endTurn();
  });
}

function resumeOne(): void {
  begun = performance.now();
  turns = (turns + 1) % bulkTurns;
  const [first, second] = turns === 0 ? [lanes.bulk, lanes.work] : [lanes.work, lanes.bulk];
  (first.shift() ?? second.shift())?.();
}
