import type { FieldError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { checkTiming, type Timing } from '../time/timing.ts';

/** The fields of a run template that place its work in time, and bound it. */
interface CheckedSchedule extends Timing {
  readonly starts_at: Instant | null;
  readonly ends_at: Instant | null;
}

/** The errors of such fields that contradict each other or mean nothing. */
export function scheduleErrors(row: CheckedSchedule): FieldError[] {
  const errors = checkTiming(row);
  if (row.starts_at !== null && row.ends_at !== null && row.starts_at >= row.ends_at)
    errors.push({ field: 'ends_at', message: 'ends_at must be after starts_at' });
  return errors;
}
