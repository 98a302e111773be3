import type { Milliseconds } from './clock.ts';
import { resumeThread } from './thread-holder.ts';

/** For how long all loops of this process together hold its thread before each of them gives way. */
export const timeSlice: { duration: Milliseconds } = { duration: 10 };

/** How often a loop of the lane `bulk` goes first, so that it ends however many others there are. */
const bulkTurns = 8;

/**
 * The loops that wait for their turn: those that others may wait for, such as one in a transaction that holds a lock, and
 * those that write long lists, for which nobody else waits.
 */
const lanes = { work: [] as (() => void)[], bulk: [] as (() => void)[] };

/** When the first loop of this turn of the event loop began; null = none has. */
let begun: Milliseconds | null = null;
let isEnding = false;
let turns = 0;

/**
 * Gives way to everything else that waits for the thread, where loops have held it for longer than a slice of time. The
 * slice is that of the process, so that many loops, each of which takes little, give way as one does that takes long: in a
 * turn of the event loop one of those that wait goes on. Every loop over stored rows calls it, once for each.
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
