import { readCalendars } from '../calendar/calendars.ts';
import { formatDay } from '../calendar/days-off.ts';
import { dayOffAt, movedFrom, owedWindowAtOrAfter, owedWindowContaining } from '../calendar/owed-windows.ts';
import type { Instant } from '../loop/clock.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import { day, describeDuration } from '../time/duration.ts';
import { formatInstant, requireInstant } from '../time/instant.ts';
import { formatLocalTime } from '../time/local-time.ts';
import { type Window, windowAtOrAfter, windowContaining } from '../time/windows.ts';
import { zoneNamed } from '../time/zone.ts';
import { RunTemplate, type RunTemplateRow } from './run-template.ts';
import type { ScheduleSpec } from './schedule.ts';

/** A window of a template, when its first job is due, and the deadline of its Task. */
export interface PlannedWindow {
  readonly start: Instant;
  readonly end: Instant;
  /** Null = it is not owed and gets no Task. */
  readonly due: Instant | null;
  readonly deadline: Instant | null;
  /** What is out of the ordinary: that it is not owed or was moved, and why, or that the clock changes in it; null = nothing. */
  readonly note: string | null;
}

export interface PreviewRange {
  readonly from: Instant;
  /** The last moment at which a listed window may start; null = only `limit` bounds the list. */
  readonly to: Instant | null;
  readonly limit: number;
  /** The zone of the times in notes. @default that of the template */
  readonly timezone?: string;
}

/** How many windows a caller may have listed at once. */
export const maxPreviewed = 1000;

/** Returns a template with the days off of its calendar. @throws HorariumError `not_found`. */
export async function storedSchedule(context: RecordsContext, actor: Actor, id: number): Promise<ScheduleSpec> {
  const template = await new Records(context.findResource(RunTemplate.name), context).get(actor, id);
  const { store, service } = context;
  const read = (tables: Tables) => readCalendars(tables, service.calendarRules, [template as RunTemplateRow]);
  return (await store.read(read)).resolve(template as RunTemplateRow);
}

/**
 * Lists the windows that a template would have in a range if it were active, oldest first. Those that its calendar leaves
 * out are among them, without a due time.
 */
export function preview(template: ScheduleSpec, { from, to, limit, timezone }: PreviewRange): PlannedWindow[] {
  requireInstant('from', from);
  if (to !== null) requireInstant('to', to);
  const first = Math.max(from, template.starts_at ?? from);
  const until = Math.min(to === null ? Infinity : to + 1, template.ends_at ?? Infinity);
  const planned: PlannedWindow[] = [];
  for (
    let window = listedAtOrAfter(template, first);
    window && window.start < until && planned.length < limit;
    window = listedAtOrAfter(template, window.end)
  )
    planned.push(plan(template, window, timezone));
  return planned;
}

/** How far ahead clock changes are looked for: some zones change on other dates each year. */
const aYear = 366 * day;
/** A year has two changes; a zone may have more where its summer time is interrupted. */
const maxChanges = 4;
/** How many windows are listed for each change: the one before or over it, and those that follow. */
const windowsOfChange = 3;

/**
 * Lists the windows about each change of the clock in the zone of a template, in the year that follows an instant: the one
 * that the change ends or lies in, and the next two. None where the clock does not change.
 * @param timezone of the times in notes. @default that of the template
 */
export function previewClockChanges(template: ScheduleSpec, from: Instant, timezone?: string): PlannedWindow[] {
  requireInstant('from', from);
  const planned = new Map<Instant, PlannedWindow>();
  for (const change of clockChanges(template.timezone, from, from + aYear).slice(0, maxChanges)) {
    const before = listedContaining(template, change - 1);
    let window = before ?? listedAtOrAfter(template, change);
    for (let count = 0; window && count < windowsOfChange; count += 1) {
      planned.set(window.start, plan(template, window, timezone));
      window = listedAtOrAfter(template, window.end);
    }
  }
  return [...planned.values()];
}

/** Returns a window as channels show it. */
export function shownWindow({ start, end, due, deadline, note }: PlannedWindow) {
  const time = (at: Instant | null) => (at === null ? null : formatInstant(at));
  return {
    window_start: formatInstant(start),
    window_end: formatInstant(end),
    due_at: time(due),
    deadline: time(deadline),
    note,
  };
}

/** Returns the windows that are shown: with `skip` also those that are not owed. */
function listedAtOrAfter(template: ScheduleSpec, instant: Instant): Window | null {
  return template.day_off === 'skip' ? windowAtOrAfter(template, instant) : owedWindowAtOrAfter(template, instant);
}

function listedContaining(template: ScheduleSpec, instant: Instant): Window | null {
  return template.day_off === 'skip' ? windowContaining(template, instant) : owedWindowContaining(template, instant);
}

function plan(template: ScheduleSpec, window: Window, shownZone = template.timezone): PlannedWindow {
  const dayOff = dayOffAt(template, window.start);
  const notes = [...calendarNotes(template, window, dayOff), ...clockNotes(template.timezone, window, shownZone)];
  const note = notes.length > 0 ? notes.join('; ') : null;
  if (dayOff !== null) return { ...window, due: null, deadline: null, note };
  const due = dueAt(template, window, template.id);
  return { ...window, due, deadline: deadlineAt(template, window, due), note };
}

function calendarNotes(template: ScheduleSpec, { start }: Window, dayOff: string | null): string[] {
  const { daysOff } = template;
  if (daysOff === null) return [];
  if (dayOff !== null) return [`no Task: day off (${dayOff})`];
  const days = movedFrom(template, start).map((number) => `${formatDay(number)} (${daysOff.reasonFor(number)})`);
  return days.length > 0 ? [`moved from ${days.join(', ')}`] : [];
}

/** Notes the changes of the clock in a window, at the time that it shows before each. In another zone they name both. */
function clockNotes(timezone: string, { start, end }: Window, shownZone: string): string[] {
  const isOwn = shownZone === timezone;
  return changesIn(timezone, start, end).map((change) => {
    const { offset, offsetBefore } = zoneNamed(timezone).spanAt(change);
    const direction = offset > offsetBefore ? 'forward' : 'back';
    const by = describeDuration(Math.abs(offset - offsetBefore));
    const at = new Date(change + offsetBefore).toISOString().slice(0, 16).replace('T', ' ');
    return isOwn
      ? `the clock goes ${direction} by ${by} at ${at}`
      : `the clock of ${timezone} goes ${direction} by ${by} at ${formatLocalTime(change, shownZone)} ${shownZone}`;
  });
}

/** A zone never changes its clock twice within such a span. */
const oneChange = 6 * day;

function changesIn(timezone: string, start: Instant, end: Instant): Instant[] {
  const zone = zoneNamed(timezone);
  const first = zone.spanAt(start);
  const isChange = first.start === start && first.offset !== first.offsetBefore;
  const isPlain = !isChange && end - start <= oneChange && first.offset === zone.spanAt(end - 1).offset;
  return isPlain ? [] : clockChanges(timezone, start, end);
}

/** Lists the instants from `from` on and before `until` at which the clock of a zone changes. */
function clockChanges(timezone: string, from: Instant, until: Instant): Instant[] {
  const zone = zoneNamed(timezone);
  const changes: Instant[] = [];
  for (
    let change = zone.nextChange(from - 1);
    change !== null && change < until && changes.length < maxChanges;
    change = zone.nextChange(change)
  )
    if (zone.spanAt(change).offset !== zone.spanAt(change).offsetBefore) changes.push(change);
  return changes;
}
