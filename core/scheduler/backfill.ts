import { readCalendars } from '../calendar/calendars.ts';
import { owedWindows } from '../calendar/owed-windows.ts';
import { badRequest, type FieldError } from '../errors.ts';
import { describeFields } from '../field/field-description.ts';
import { text } from '../field/fields.ts';
import { assertRoomInQueue, lockRunnable } from '../job/job-access.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readFields, requireFields, throwIfInvalid } from '../records/input.ts';
import { readTimeBound } from '../records/list-input.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { RowValues } from '../store/table.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { ScheduleRow, ScheduleSpec } from '../template/schedule.ts';
import { formatInstant, requireInstant } from '../time/instant.ts';
import type { Window } from '../time/windows.ts';
import { createTasks } from './create-tasks.ts';

/** Which windows of a template are backfilled. */
export interface BackfillRange {
  /** The first moment at which such a window may begin. */
  readonly from: Instant;
  /** The last such moment; null = now. Windows that have not ended are left out. */
  readonly to: Instant | null;
}

const bound = (which: string) =>
  text(40, { description: `${which}: a time, or a date for the whole day in the service's time zone.` });
const fields = {
  from: bound('Windows that begin then or later').required(),
  to: bound('Windows that begin then or earlier, and have ended; now if left out'),
};

/** The fields of a request to backfill, for documentation and for channels. */
export const backfillFields = describeFields(fields);

/**
 * Reads the range of such a request.
 * @throws HorariumError `invalid` for wrong fields, `bad_request` for a text that is no time.
 */
export function readBackfill(input: RowValues, timezone: string): BackfillRange {
  const errors: FieldError[] = [];
  const { from, to = null } = readFields(fields, input, 'a field of a backfill', errors);
  requireFields(fields, input, errors);
  throwIfInvalid('The backfill', errors);
  return {
    from: readTimeBound('from', from as string, timezone),
    to: to === null ? null : readTimeBound('to', to, timezone),
  };
}

export interface Backfill {
  /** The new Tasks, the oldest window first. */
  readonly tasks: readonly TaskRow[];
  /** How many windows of the range have their Tasks already, or get them from the scheduler. */
  readonly leftOut: number;
}

/** Warns of the windows that a backfill has left out. */
export function leftOutWarning(count: number): string {
  const windows = count === 1 ? '1 window of the range is' : `${count} windows of the range are`;
  return `${windows} left out, because a Task is there already or is owed: repeat those that should run again.`;
}

interface BackfillContext {
  /** How many jobs of a company may wait. @default no limit */
  readonly maxQueued?: number | undefined;
  readonly calendarRules: CalendarRuleSchemas;
}

/** How many windows one backfill may have. */
const maxBackfill = 1000;

/**
 * Creates the Tasks of windows that have passed and were not owed: those before the first one of a template, and those of
 * times at which it was inactive. Their jobs run the oldest first, after what is owed now, without a deadline. The bounds
 * `starts_at` and `ends_at` of the template do not count.
 * @throws HorariumError as `lockRunnable`, `not_found`, or `bad_request` for a range without windows or with too many.
 */
export async function backfill(
  tables: Tables,
  actor: Actor,
  templateId: number,
  { from, to, maxQueued, calendarRules }: BackfillRange & BackfillContext,
): Promise<Backfill> {
  requireInstant('from', from);
  if (to !== null) requireInstant('to', to);
  if (to !== null && from > to) throw badRequest('from must not be after to.');
  await readVisible(tables, actor, RunTemplate, templateId);
  const { template: row, schedule } = await lockRunnable(tables, actor, templateId, 'now');
  const template = (await readCalendars(tables, calendarRules, [row])).resolve(row);
  const passed = await passedWindows(template, { from, to }, await tables.now());
  const known = await windowsWithTask(tables, templateId, passed);
  const unowed = passed.filter(({ start }) => !known.has(start) && !isScheduled(schedule, start));
  await assertRoomInQueue(tables, template.company_id, unowed.length, maxQueued);
  const due = unowed.map((window) => ({ window, mode: 'backfilled' as const }));
  const ids = await createTasks(tables, [{ template, windows: due, launchedBy: actor.userId }]);
  const tasks = await tables.of(Task).find({ where: [['id', 'in', ids]], order: [['window_start', 'asc']] });
  return { tasks, leftOut: passed.length - tasks.length };
}

/** Lists the windows of a range that have ended. @throws HorariumError `bad_request` where there are none or too many. */
async function passedWindows(template: ScheduleSpec, { from, to }: BackfillRange, now: Instant): Promise<Window[]> {
  const { id, interval } = template;
  if (interval === 'none') throw badRequest(`RunTemplate ${id} has no windows: its interval is none.`);
  const passed: Window[] = [];
  for (const window of owedWindows(template, from, to === null ? now : to + 1)) {
    await yieldToEventLoop();
    if (window.end > now) break;
    if (passed.length === maxBackfill)
      throw badRequest(
        `RunTemplate ${id} has more than ${maxBackfill} windows in this range: backfill up to ${formatInstant((passed.at(-1) as Window).start)} first.`,
      );
    passed.push(window);
  }
  if (passed.length === 0)
    throw badRequest(
      `No window of RunTemplate ${id} begins between ${formatInstant(from)} and ${formatInstant(to ?? now)} and has ended.`,
    );
  return passed;
}

/** Returns the starts of those windows that have a Task. */
async function windowsWithTask(tables: Tables, templateId: number, passed: readonly Window[]): Promise<Set<Instant>> {
  const tasks = await tables.of(Task).find({
    where: [
      ['runtemplate_id', '=', templateId],
      ['window_start', 'in', passed.map(({ start }) => start)],
    ],
    columns: ['window_start'],
  });
  return new Set(tasks.map(({ window_start }) => window_start));
}

/** Whether the scheduler creates the Task of a window, because it is owed and not scheduled yet. */
function isScheduled({ next_window, backlog }: ScheduleRow, start: Instant): boolean {
  if (next_window !== null && start >= next_window) return true;
  return backlog?.some(({ next, until }) => start >= next && start <= until) ?? false;
}
