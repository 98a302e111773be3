import type { Instant, Milliseconds } from '../loop/clock.ts';
import { minute } from '../time/duration.ts';

/** A change of the store's clock up to this size counts as the ordinary correction of a clock. */
export const stepTolerance: Milliseconds = minute;

/** What the store's clock showed, and the clocks of this machine at that time. */
export interface ClockReading {
  readonly shown: Instant;
  /** Monotonic time once the store had answered. */
  readonly elapsed: Milliseconds;
  /** The time since the boot, the time in which the machine was suspended included. */
  readonly uptime: Milliseconds;
  /** How long the store took to answer: the clock was read at some moment of it. */
  readonly took: Milliseconds;
}

/** Whether the store's clock went on as the monotonic clock of this machine did, but for an ordinary correction. */
export function agreesWithElapsed(before: ClockReading, after: Omit<ClockReading, 'uptime'>): boolean {
  const passed = after.shown - before.shown;
  return Math.abs(passed - (after.elapsed - before.elapsed)) <= tolerance(before, after);
}

/**
 * Returns how far the store's clock was stepped between two readings of one process: positive = ahead, negative = back,
 * 0 = it was not. The time in which the machine was suspended is no step, because the time since the boot shows it too.
 */
export function stepBetween(before: ClockReading, after: ClockReading): Milliseconds {
  if (agreesWithElapsed(before, after)) return 0;
  return stepBeyond(tolerance(before, after), after.shown - before.shown - (after.uptime - before.uptime));
}

/** A reading that a process left in the store for those that start later. */
export interface RecordedReading extends Pick<ClockReading, 'shown' | 'uptime'> {
  /** Names the boot of the machine of that process; null = unknown. */
  readonly boot: string | null;
}

/**
 * Returns how far the store's clock was stepped while no process compared it with another clock. Within one boot of the
 * machine the time since the boot tells. Otherwise only a clock that shows an earlier time than before was certainly
 * stepped, by at least the difference; one that shows a later time counts as right, because the service may have been
 * down for as long.
 * @param held how far the clock was ahead of the service's time at the recorded reading.
 */
export function stepSince(
  recorded: RecordedReading,
  { shown, uptime, boot }: RecordedReading,
  held: Milliseconds,
): Milliseconds {
  const passed = shown - recorded.shown;
  if (boot !== null && boot === recorded.boot) return stepBeyond(stepTolerance, passed - (uptime - recorded.uptime));
  if (passed >= -stepTolerance) return 0;
  // A clock that was ahead may have gone back to the right time, and the service may have been down in between.
  return Math.min(passed + held, 0) - held;
}

function stepBeyond(limit: Milliseconds, step: Milliseconds): Milliseconds {
  return Math.abs(step) > limit ? Math.round(step) : 0;
}

function tolerance(before: Pick<ClockReading, 'took'>, after: Pick<ClockReading, 'took'>): Milliseconds {
  return stepTolerance + before.took + after.took;
}

/** What a step means for the time of the service. */
export interface StepOutcome {
  readonly kind: 'held' | 'gone_back' | 'set_back';
  /** How far the store's clock is ahead of the service's time from now on. */
  readonly held: Milliseconds;
  /** How far the time of the service moves: never ahead of the clock's tolerance without a confirmation. */
  readonly shift: Milliseconds;
}

/**
 * Decides what follows from a step: ahead, it is held, so that the service's time goes on as if the clock had not been
 * stepped; back from a step that is held, the clock has gone back; further back, the service's time is set back with it.
 * @param held how far the store's clock was ahead of the service's time before.
 */
export function outcomeOfStep(held: Milliseconds, step: Milliseconds): StepOutcome {
  const ahead = held + step;
  if (ahead > stepTolerance) return { kind: 'held', held: ahead, shift: 0 };
  return { kind: ahead < -stepTolerance ? 'set_back' : 'gone_back', held: 0, shift: ahead };
}
