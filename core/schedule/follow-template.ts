import type { Instant } from '../loop/clock.ts';
import { newRow } from '../resource/new-row.ts';
import type { Tables, Where } from '../resource/store.ts';
import { takeArrears } from './arrears.ts';
import { beginWindows } from './begin-windows.ts';
import { owedAfter } from './due-windows.ts';
import { endPendingJobs } from './end-pending-jobs.ts';
import { Job } from './job.ts';
import { liftTasks } from './lift-tasks.ts';
import { lockTemplates } from './lock-templates.ts';
import type { RunTemplateRow } from './run-template.ts';
import { Schedule, type ScheduleRow } from './schedule.ts';
import { termsOf } from './terms.ts';
import { releaseAll, releaseWaiting } from './waiting-jobs.ts';

/** A template as it was and as it is, and whether its app and company were enabled and are. */
export interface TemplateChange {
  readonly before: (RunTemplateRow & { readonly enabled: boolean }) | undefined;
  readonly after: RunTemplateRow & { readonly enabled: boolean };
}

/** How many windows a change writes by itself; the scheduler writes the rest of a long outage. */
const mostAtOnce = 200;

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
  const arrears = moved ? await closeLedger(tables, before, schedule, now, !is || recut) : schedule.arrears;
  if (recut) await liftTasks(tables, unstarted(after.id), 'the interval of the template was changed');
  if (was && !is) await deactivate(tables, after);
  else if (before && changed(['overlap'])) await releaseAll(tables, after.id);
  else if (recut) await releaseWaiting(tables, [after.id]);
  // A window that begins at this very moment was closed with the old schedule.
  const next = was && moved ? owedAfter(after, now + 1) : owedAfter(after, now);
  if (!is || !was || moved) await write(tables, schedule, { next: is ? next : null, arrears, now });
}

/**
 * Gives the windows that began before the change, but that nobody has scheduled yet, their Tasks: what was owed then
 * stays in the ledger, also when the service was down. Where the cadence stays they are met as if the scheduler had
 * come first; otherwise those that are over are missed, and the current one is lifted.
 * @returns what is left for the scheduler after a long outage.
 */
async function closeLedger(
  tables: Tables,
  before: RunTemplateRow,
  { next_window: next, arrears }: ScheduleRow,
  now: Instant,
  lifted: boolean,
): Promise<ScheduleRow['arrears']> {
  const older = (arrears ?? []).map((each) => ({ ...each, lifted: each.lifted || lifted }));
  const own = next === null || next > now ? [] : [{ terms: termsOf(before), next, until: now, lifted }];
  const { beginnings, left } = takeArrears([...older, ...own], mostAtOnce);
  await beginWindows(tables, beginnings);
  return left.length > 0 ? [...left] : null;
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

async function write(
  tables: Tables,
  schedule: ScheduleRow,
  { next, arrears, now }: { next: Instant | null; arrears: ScheduleRow['arrears']; now: Instant },
): Promise<void> {
  const set = { next_at: arrears ? now : next, next_window: next, arrears };
  await tables.of(Schedule).update([{ row: schedule, set }]);
}
