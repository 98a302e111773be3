import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { NextRun } from '../summary/next-run.ts';
import type { NamedRun } from '../summary/summary.ts';
import { taskEndStates } from '../task/task.ts';
import { day, hour, minute } from '../time/duration.ts';

/** The length of a slot of an outlook. */
export const outlookSlot: Milliseconds = 15 * minute;
/** How many slots lie behind, the present one among them, and how many ahead. */
export const slotsBehind = day / outlookSlot;
export const slotsAhead = (6 * hour) / outlookSlot;

/** What is counted by slot: runs by how they ended, those that run now, and those to come. */
export const outlookStates = [...taskEndStates, 'running', 'to_come'] as const;
export type OutlookState = (typeof outlookStates)[number];

/** The next run of a template. */
export interface StartingRun extends NextRun, Pick<NamedRun, 'name' | 'company'> {
  /** Null = it is not for a Task. */
  readonly deadline: Instant | null;
  /** How long a successful attempt usually takes; null = none has succeeded. */
  readonly usual_duration: Milliseconds | null;
}

/** What is left of the day in the service's time zone. */
export interface RestOfDay {
  /** How many runs are to start, but for those that a pause or maintenance holds. */
  readonly count: number;
  /** The last deadline of the windows among them; null = there is none. */
  readonly deadline: Instant | null;
}

/** What an outlook is asked of. */
export interface OutlookRequest {
  /** The id of a company. @default all that the actor may see */
  readonly company_id?: number;
  /** The zone whose day the rest of the day belongs to. @default that of the service */
  readonly timezone?: string;
}

/** How the last day went and what comes, of all templates together. */
export interface Outlook {
  readonly time: Instant;
  /** When the first slot begins: a whole quarter of an hour. */
  readonly from: Instant;
  readonly slot: Milliseconds;
  readonly slots: number;
  /**
   * By state the number in each slot, the first one first: Tasks by when they ended, and runs to come by when they start. What
   * has none is missing.
   */
  readonly counts: Readonly<Partial<Record<OutlookState, readonly number[]>>>;
  readonly rest_of_day: RestOfDay;
  /** The first run of each template that starts next, the first one first: at most 100. */
  readonly next: readonly StartingRun[];
  /** Whether all windows to come are counted: there may be too many cadences. */
  readonly complete: boolean;
}
