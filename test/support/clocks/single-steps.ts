import { timeSlice } from '#core/loop/yield-to-event-loop';

/**
 * Does work in which every loop gives way at each of its steps, as if each took long, and counts the turns of the event
 * loop meanwhile.
 * @param onTurn called in each turn.
 */
export async function inSingleSteps<T>(
  work: () => Promise<T>,
  onTurn: () => void = () => undefined,
): Promise<{ readonly result: T; readonly turns: number }> {
  const { duration } = timeSlice;
  let turns = 0;
  const turn = () => {
    turns += 1;
    onTurn();
    waiting = setImmediate(turn);
  };
  let waiting = setImmediate(turn);
  timeSlice.duration = 0;
  try {
    return { result: await work(), turns };
  } finally {
    timeSlice.duration = duration;
    clearImmediate(waiting);
  }
}
