import type { AnsweredOffset } from './timeline-answer.ts';

/** A change of the clock: when it is, what the clock showed then, and what from then on, each as if it were UTC. */
export interface Shift {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Returns when the clock changes. @param origin what their times count from. */
export function shiftsOf(clock: readonly AnsweredOffset[], origin: number): Shift[] {
  return clock.slice(1).map(({ at, offset }, index) => {
    const time = origin + at;
    return { at: time, before: time + (clock[index]?.offset ?? 0), after: time + offset };
  });
}
