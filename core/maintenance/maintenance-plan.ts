import type { CalendarRef } from '../calendar/calendars.ts';
import { errorMessage, HorariumError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { endOfPause, Pause, type PauseRow } from '../pause/pause.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { type MaintenanceSpan, type MaintenanceTimes, maintenanceAt, nextMaintenance } from './maintenance-times.ts';

/** The fields of a maintenance window that say when it is, and what its pauses hold and say. */
export interface MaintenanceSpec extends CalendarRef, Omit<MaintenanceTimes, 'daysOff'> {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
  readonly catch_up: PauseRow['catch_up'];
}

/** The columns of a maintenance window that say when it is next. */
export interface MaintenancePlan {
  readonly next_starts_at: Instant | null;
  readonly next_until: Instant | null;
  readonly problem: string | null;
}

export const noPlan: MaintenancePlan = { next_starts_at: null, next_until: null, problem: null };

/** Returns the plan whose next time is that one; undefined = none is known. */
export function planOf(next: MaintenanceSpan | undefined): MaintenancePlan {
  return next ? { next_starts_at: next.start, next_until: next.end, problem: null } : noPlan;
}

/** Returns the plan of a maintenance window whose calendar cannot tell its days off. @throws any other error. */
export function problemPlan(error: unknown): MaintenancePlan {
  if (!(error instanceof HorariumError) || error.code !== 'unavailable') throw error;
  return { ...noPlan, problem: errorMessage(error).slice(0, 1000) };
}

/** Which time of a maintenance window an instant lies in, and which is the first one ahead; undefined = none. */
export interface MaintenanceOutlook {
  readonly times: MaintenanceTimes;
  readonly current?: MaintenanceSpan | undefined;
  readonly first?: MaintenanceSpan | undefined;
}

/**
 * Finds out when a maintenance window is and will be. A time that has begun is left to the pause that stands for it, if there
 * is one.
 * @param daysOff those of its calendar.
 * @throws HorariumError as `nextMaintenance`.
 */
export async function outlookOf(
  tables: Tables,
  window: MaintenanceSpec,
  daysOff: MaintenanceTimes['daysOff'],
): Promise<MaintenanceOutlook> {
  const times = { ...window, daysOff };
  if (!window.active) return { times };
  const now = await tables.now();
  const current = maintenanceAt(times, now);
  const pauses = current ? await openPauses(tables, window.id) : [];
  const isHeld = pauses.some(({ starts_at }) => starts_at !== null && starts_at <= now);
  return { times, current, first: nextMaintenance(times, current && isHeld ? current.end : now) };
}

/** Returns what lies ahead of a maintenance window; undefined where its calendar cannot tell. */
export async function knownOutlook(...args: Parameters<typeof outlookOf>): Promise<MaintenanceOutlook | undefined> {
  try {
    return await outlookOf(...args);
  } catch (error) {
    return problemPlan(error) && undefined;
  }
}

/** What a change of a maintenance window, or of its calendar, makes of its plan. */
export interface Replanning {
  readonly plan: MaintenancePlan;
  /** Whether the first time ahead has its pause already, unless a person has dropped it: the change leaves that time as it was. */
  readonly isMade: boolean;
}

/**
 * Plans a maintenance window again when it changes, or its calendar.
 * @param before when its next time was, and what lay ahead of it; undefined = nothing is known of that.
 */
export function replan(
  before: { readonly next_starts_at: Instant | null; readonly outlook: MaintenanceOutlook } | undefined,
  { times, first }: MaintenanceOutlook,
): Replanning {
  const last = before?.outlook.first;
  const isSame = first !== undefined && first.start === last?.start && first.end === last.end;
  const isMade = isSame && (before?.next_starts_at ?? Infinity) > first.start;
  return { plan: planOf(isMade ? nextMaintenance(times, first.end) : first), isMade };
}

/** Plans a maintenance window again by what it is and which pauses it has; a rule that cannot answer is its `problem`. */
export async function replanned(
  tables: Tables,
  window: MaintenanceSpec,
  daysOff: MaintenanceTimes['daysOff'],
): Promise<MaintenancePlan> {
  try {
    const { times, first } = await outlookOf(tables, window, daysOff);
    const pauses = first ? await openPauses(tables, window.id) : [];
    const isMade = first && pauses.some(({ starts_at }) => starts_at === first.start);
    return planOf(isMade ? nextMaintenance(times, first.end) : first);
  } catch (error) {
    return problemPlan(error);
  }
}

/** Reads the pauses of a maintenance window that lie ahead or are in force, oldest first. */
function openPauses(tables: Tables, windowId: number): Promise<PauseRow[]> {
  return tables.of(Pause).find({
    where: [
      ['maintenance_window_id', '=', windowId],
      ['ended_at', '=', null],
    ],
    order: [['id', 'asc']],
  });
}

/** Makes the pause of one time of a maintenance window. */
export async function insertPause(tables: Tables, window: MaintenanceSpec, { start, end }: MaintenanceSpan) {
  const { id, runtemplate_id, company_id } = window;
  const scope = { runtemplate_id, company_id, maintenance_window_id: id };
  const paused_by = `maintenance window ${id}`;
  const pause = newRow(Pause, { ...scope, starts_at: start, until: end, paused_by, ...saidBy(window) });
  await tables.of(Pause).insert([pause]);
}

/** What the pauses of a maintenance window take over from it beside their times. */
function saidBy({ name, catch_up }: MaintenanceSpec): Pick<PauseRow, 'reason' | 'catch_up'> {
  return { reason: name, catch_up };
}

/** Lets the pauses of a maintenance window say what it says now. */
export async function renamePauses(tables: Tables, window: MaintenanceSpec): Promise<void> {
  const set = saidBy(window);
  await tables.of(Pause).update((await openPauses(tables, window.id)).map((row) => ({ row, set })));
}

/**
 * Lets the pauses of a maintenance window follow a change of it, or of its calendar: the one in force ends when the window does
 * now, or at once. A change that leaves that end as it was leaves also one that a person has set.
 * @param change which time this moment lay and lies in, and whether those ahead are deleted, to be made again.
 */
export async function movePauses(
  tables: Tables,
  window: MaintenanceSpec,
  change: {
    readonly before: MaintenanceSpan | undefined;
    readonly after: MaintenanceSpan | undefined;
    readonly deletesAhead: boolean;
  },
): Promise<void> {
  const { before, after, deletesAhead } = change;
  const now = await tables.now();
  const pauses = await openPauses(tables, window.id);
  const ahead = pauses.filter(({ starts_at }) => starts_at !== null && starts_at > now);
  if (deletesAhead && ahead.length > 0) await tables.of(Pause).delete([['id', 'in', ahead.map(({ id }) => id)]]);
  if (after?.end === before?.end) return;
  const inForce = pauses.filter((pause) => !ahead.includes(pause) && endOfPause(pause) > now);
  const set = after ? { until: after.end } : { until: now, ended_at: now };
  await tables.of(Pause).update(inForce.map((row) => ({ row, set })));
}
