import { readCalendars } from '../calendar/calendars.ts';
import {
  endPendingJobs,
  placePending,
  rankPending,
  readPendingJobs,
  unblockAll,
  unblockOldest,
} from '../job/pending-jobs.ts';
import type { Instant } from '../loop/clock.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Where } from '../store/query.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { TaskRow } from '../task/task.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import {
  lockTemplates,
  Schedule,
  type ScheduleRow,
  type ScheduleSpec,
  scheduleSpecFields,
  scheduleSpecOf,
} from '../template/schedule.ts';
import { takeBacklog } from './backlog.ts';
import { createTasks } from './create-tasks.ts';
import { firstWithoutTask, nextWindowStartOrRetry, unlessUnplannable } from './due-windows.ts';
import { waiveTasks } from './waive-tasks.ts';

/** The columns of a template that decide about its schedule and its pending jobs. */
export const templateStateFields = [...scheduleSpecFields, 'active', 'overlap', 'max_running'] as const;

/** What decides about the schedule of a template, its days off, and whether its App and its company are enabled. */
export type TemplateState = Pick<RunTemplateRow, (typeof templateStateFields)[number]> &
  Pick<ScheduleSpec, 'daysOff'> & { readonly enabled: boolean };

export interface TemplateChange {
  /** Undefined = the template is new. */
  readonly before: TemplateState | undefined;
  readonly after: TemplateState;
}

/** How many windows a change schedules by itself at most; the scheduler schedules the rest of a long outage. */
const maxWindows = 200;

const cadenceFields = ['interval', 'cron', 'timezone'] as const;
/** The fields whose change leaves the windows that began as they are. */
const boundFields = ['starts_at', 'ends_at', 'calendar_id', 'day_off', 'daysOff'] as const;

/**
 * Adapts the schedule to a change of its template, in the change's own transaction. Time spent inactive or disabled is
 * not owed; a new cadence begins with its first window after the change.
 */
export async function rescheduleTemplate(
  tables: Tables,
  { before, after }: TemplateChange,
  rules: CalendarRuleSchemas,
): Promise<void> {
  const now = await tables.now();
  if (!before) return insertSchedule(tables, after, now);
  const schedule = await lockSchedule(tables, after);
  if (isActive(before)) await rescheduleActive(tables, { schedule, before, after, now, rules });
  else if (isActive(after)) await activate(tables, { schedule, after, now, rules });
  else await setNext(tables, { schedule, now }, null, schedule.backlog);
  if (before.overlap !== after.overlap || before.max_running !== after.max_running) await unblockAll(tables, after.id);
  if (before.priority !== after.priority) await rankPending(tables, after.id, after.priority);
  if (before.placement !== after.placement) await placePending(tables, after);
}

/** Prepares the deletion of a template: locks it, so that no job of it starts, and waives its Tasks. */
export async function unscheduleTemplate(tables: Tables, template: Pick<RunTemplateRow, 'id'>): Promise<void> {
  await lockTemplates(tables, [template.id], 'wait');
  await waiveAll(tables, template.id, 'the template was deleted');
}

/** A change of an active template whose Schedule row is locked. */
interface ActiveChange {
  readonly schedule: ScheduleRow;
  readonly before: TemplateState;
  readonly after: TemplateState;
  readonly now: Instant;
  readonly rules: CalendarRuleSchemas;
}

async function rescheduleActive(tables: Tables, change: ActiveChange): Promise<void> {
  const { before, after } = change;
  const isChanged = (field: keyof TemplateState) => before[field] !== after[field];
  const cadenceChanges = cadenceFields.filter(isChanged);
  if (!isActive(after)) await deactivate(tables, change);
  else if (cadenceChanges.length > 0) await changeCadence(tables, change, cadenceChanges);
  else if (boundFields.some(isChanged)) await changeBounds(tables, change);
}

/** Counts failures in a row from zero: the cause has been mended, or the template would not be switched on. */
async function activate(tables: Tables, { schedule, after, now }: Omit<ActiveChange, 'before'>): Promise<void> {
  await setNext(tables, { schedule, now }, nextWindowStartOrRetry(after, now), schedule.backlog, {
    failures_in_row: 0,
  });
}

async function deactivate(tables: Tables, change: ActiveChange): Promise<void> {
  const { after } = change;
  const backlog = await scheduleUntilNow(tables, change, { waived: true });
  await waiveAll(tables, after.id, after.active ? 'its app or company was disabled' : 'the template was deactivated');
  await setNext(tables, change, null, backlog);
}

/** Schedules by a new cadence, and waives the open Tasks without a started attempt. */
async function changeCadence(tables: Tables, change: ActiveChange, changes: readonly string[]): Promise<void> {
  const { after } = change;
  const backlog = await scheduleUntilNow(tables, change, { waived: true });
  await waiveTasks(tables, unstarted(after.id), changeReason(changes));
  await unblockOldest(tables, [after.id]);
  await setNext(tables, change, firstWindowAfter(change), backlog);
}

async function changeBounds(tables: Tables, change: ActiveChange): Promise<void> {
  const backlog = await scheduleUntilNow(tables, change, { waived: false });
  await setNext(tables, change, firstWindowAfter(change), backlog);
}

/** Returns the start of the first window after the change: one that begins at this very moment belongs to the old schedule. */
function firstWindowAfter({ after, now }: ActiveChange): Instant | null {
  return nextWindowStartOrRetry(after, now + 1);
}

/**
 * Creates the Tasks of windows that began before the change but were not scheduled yet, so that each window has one,
 * also when the service was down.
 * @param waived whether none of them runs: passed windows are missed, and the current one is cancelled. Otherwise they
 *   are scheduled as they would have been before the change.
 * @returns the backlog that is left for the scheduler after a long outage.
 */
async function scheduleUntilNow(
  tables: Tables,
  { schedule, before, now, rules }: ActiveChange,
  { waived }: { readonly waived: boolean },
): Promise<ScheduleRow['backlog']> {
  const next = unlessUnplannable(() => firstWithoutTask(before, schedule), schedule.next_at);
  const older = (schedule.backlog ?? []).map((part) => ({
    ...part,
    waived: part.waived || waived,
    extensible: false,
  }));
  const latest =
    next === null || next > now ? [] : [{ spec: scheduleSpecOf(before), next, until: now, waived, extensible: false }];
  const passed = [...older, ...latest];
  const calendars = await readCalendars(
    tables,
    rules,
    passed.map(({ spec }) => spec),
  );
  const daysOff = before.daysOff?.definition;
  const asBefore = passed.map((part) =>
    daysOff && part.spec.calendar_id === before.calendar_id ? { daysOff, ...part } : part,
  );
  // Where these days off cannot be known, the windows wait until the calendar tells others.
  const { batches, remaining } = unlessUnplannable(() => takeBacklog(asBefore, calendars, maxWindows, now), {
    batches: [],
    remaining: passed,
  });
  await createTasks(tables, batches);
  return remaining.length > 0 ? [...remaining] : null;
}

function isActive(template: TemplateState): boolean {
  return template.active && template.enabled;
}

function changeReason(fields: readonly string[]): string {
  const list = new Intl.ListFormat('en').format(fields);
  return `the ${list} of the template ${fields.length === 1 ? 'was' : 'were'} changed`;
}

function unstarted(templateId: number): Where<TaskRow> {
  return [
    ['runtemplate_id', '=', templateId],
    ['state', '=', 'open'],
    ['attempts', '=', 0],
  ];
}

async function waiveAll(tables: Tables, templateId: number, reason: string): Promise<void> {
  await waiveTasks(tables, [['runtemplate_id', '=', templateId]], reason);
  const pendingAdHoc = await readPendingJobs(tables, [['runtemplate_id', '=', templateId]]);
  await endPendingJobs(tables, pendingAdHoc, 'cancelled', reason);
}

/** Creates the Schedule of a new template, which no other transaction sees yet. */
async function insertSchedule(tables: Tables, template: TemplateState, now: Instant): Promise<void> {
  const next = isActive(template) ? nextWindowStartOrRetry(template, now) : null;
  const { id: runtemplate_id, company_id } = template;
  await tables
    .of(Schedule)
    .insert([newRow(Schedule, { runtemplate_id, company_id, next_at: next, next_window: next })]);
}

async function lockSchedule(tables: Tables, { id }: TemplateState): Promise<ScheduleRow> {
  const locked = await lockTemplates(tables, [id], 'wait');
  return required(locked.get(id), `Schedule of RunTemplate ${id}`);
}

async function setNext(
  tables: Tables,
  { schedule, now }: Pick<ActiveChange, 'schedule' | 'now'>,
  next: Instant | null,
  backlog: ScheduleRow['backlog'],
  others: Partial<Pick<ScheduleRow, 'failures_in_row'>> = {},
): Promise<void> {
  const set = { next_at: next, next_window: next, backlog, backlog_at: backlog && now, ...others };
  await tables.of(Schedule).update([{ row: schedule, set }]);
}
