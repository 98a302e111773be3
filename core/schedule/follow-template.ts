import type { Instant } from '../loop/clock.ts';
import { newRow } from '../resource/new-row.ts';
import type { Tables, Where } from '../resource/store.ts';
import { beginWindows } from './begin-windows.ts';
import { dueWindows, owedAfter } from './due-windows.ts';
import { endPendingJobs } from './end-pending-jobs.ts';
import { Job } from './job.ts';
import { liftTasks } from './lift-tasks.ts';
import { lockTemplates } from './lock-templates.ts';
import { makeTask } from './make-task.ts';
import type { RunTemplateRow } from './run-template.ts';
import { Schedule, type ScheduleRow } from './schedule.ts';
import { Task } from './task.ts';
import { releaseAll, releaseWaiting } from './waiting-jobs.ts';

/** A template as it was and as it is, and whether its app and company were enabled and are. */
export interface TemplateChange {
  readonly before: (RunTemplateRow & { readonly enabled: boolean }) | undefined;
  readonly after: RunTemplateRow & { readonly enabled: boolean };
}

const cadenceFields = ['interval', 'cron', 'timezone'] as const;
const scheduleFields = [...cadenceFields, 'starts_at', 'ends_at'] as const;

/**
 * Makes the schedule follow a change of a template, in the change's own transaction. Time spent inactive or disabled
 * is not owed; a new cadence begins with its first window after the change.
 */
export async function followTemplate(tables: Tables, { before, after }: TemplateChange): Promise<void> {
  const now = await tables.now();
  const schedule = await scheduleOf(tables, after.id);
  const was = before !== undefined && isActive(before);
  const is = isActive(after);
  const changed = (fields: readonly (keyof RunTemplateRow)[]) =>
    fields.some((field) => before?.[field] !== after[field]);
  const recut = was && is && changed(cadenceFields);
  const moved = was && (!is || changed(scheduleFields));
  if (moved) await closeLedger(tables, before, schedule.next_window, now, is && !recut);
  if (recut) await liftTasks(tables, unstarted(after.id), 'the interval of the template was changed');
  if (was && !is) await deactivate(tables, after);
  else if (before && changed(['overlap'])) await releaseAll(tables, after.id);
  else if (recut) await releaseWaiting(tables, [after.id]);
  if (!is) return write(tables, schedule, null);
  // A window that begins at this very moment was closed with the old schedule.
  if (!was) await write(tables, schedule, owedAfter(after, now));
  else if (moved) await write(tables, schedule, owedAfter(after, now + 1));
}

/**
 * Gives the windows that began before the change, but that nobody has scheduled yet, their Tasks: what was owed then
 * stays in the ledger, also when the service was down. Where the cadence stays they are met as if the scheduler had
 * come first; otherwise those that are over are missed, and the current one is lifted.
 */
async function closeLedger(
  tables: Tables,
  before: RunTemplateRow,
  next: Instant | null,
  now: Instant,
  stays: boolean,
): Promise<void> {
  if (next === null || next > now) return;
  const { windows } = dueWindows(before, next, now, Infinity);
  if (stays) return beginWindows(tables, [{ template: before, windows }]);
  const rows = windows.map(({ window }) => makeTask(before, window, window.end <= now ? 'missed' : 'normal'));
  await tables.of(Task).insertAbsent(rows, ['runtemplate_id', 'window_start']);
  const current: Where = [...unstarted(before.id), ['window_start', '>=', next]];
  await liftTasks(tables, current, 'the template was changed before it was scheduled');
}

/** Before a template is deleted: nobody may begin anything of it any more, and what it owes is lifted. */
export async function forgetTemplate(tables: Tables, template: RunTemplateRow): Promise<void> {
  await lockTemplates(tables, [template.id], 'wait');
  await liftAll(tables, template.id, 'the template was deleted');
}

function isActive(template: RunTemplateRow & { readonly enabled: boolean }): boolean {
  return template.active && template.enabled;
}

function unstarted(templateId: number): Where {
  return [
    ['runtemplate_id', '=', templateId],
    ['state', '=', 'open'],
    ['attempts', '=', 0],
  ];
}

async function deactivate(tables: Tables, template: RunTemplateRow & { readonly enabled: boolean }): Promise<void> {
  await liftAll(
    tables,
    template.id,
    template.active ? 'its app or company was disabled' : 'the template was deactivated',
  );
}

async function liftAll(tables: Tables, templateId: number, reason: string): Promise<void> {
  await liftTasks(tables, [['runtemplate_id', '=', templateId]], reason);
  const adhoc: Where = [
    ['runtemplate_id', '=', templateId],
    ['state', '=', 'scheduled'],
  ];
  await endPendingJobs(tables, await tables.of(Job).find({ where: adhoc }), 'cancelled', () => reason);
}

async function scheduleOf(tables: Tables, templateId: number): Promise<ScheduleRow> {
  const made = newRow(Schedule, { runtemplate_id: templateId });
  await tables.of(Schedule).insertAbsent([made], ['runtemplate_id']);
  return (await lockTemplates(tables, [templateId], 'wait')).get(templateId) as ScheduleRow;
}

async function write(tables: Tables, schedule: ScheduleRow, next: Instant | null): Promise<void> {
  if (schedule.next_at === next && schedule.next_window === next) return;
  await tables.of(Schedule).update([{ row: schedule, set: { next_at: next, next_window: next } }]);
}
