import { unblockAll, unblockNext } from '../job/blocked-jobs.ts';
import { endPendingJobs } from '../job/end-pending-jobs.ts';
import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { newRow } from '../store/new-row.ts';
import type { Tables, Where } from '../store/store.ts';
import { lockTemplates } from '../template/lock-templates.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import { Schedule, type ScheduleRow } from '../template/schedule.ts';
import { scheduleSpecOf } from '../template/schedule-spec.ts';
import { takeBacklog } from './backlog.ts';
import { createTasks } from './create-tasks.ts';
import { owedAfter } from './due-windows.ts';
import { waiveTasks } from './waive-tasks.ts';

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
export async function rescheduleTemplate(tables: Tables, { before, after }: TemplateChange): Promise<void> {
  const now = await tables.now();
  const schedule = await scheduleOf(tables, after.id);
  const was = before !== undefined && isActive(before);
  const is = isActive(after);
  const changed = (fields: readonly (keyof RunTemplateRow)[]) =>
    fields.some((field) => before?.[field] !== after[field]);
  const recut = was && is && changed(cadenceFields);
  const moved = was && (!is || changed(scheduleFields));
  const backlog = moved ? await closeLedger(tables, before, schedule, now, !is || recut) : schedule.backlog;
  if (recut) await waiveTasks(tables, unstarted(after.id), 'the interval of the template was changed');
  if (was && !is) await deactivate(tables, after);
  else if (before && changed(['overlap'])) await unblockAll(tables, after.id);
  else if (recut) await unblockNext(tables, [after.id]);
  // A window that begins at this very moment was closed with the old schedule.
  const next = was && moved ? owedAfter(after, now + 1) : owedAfter(after, now);
  if (!is || !was || moved) await write(tables, schedule, { next: is ? next : null, backlog, now });
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
  { next_window: next, backlog }: ScheduleRow,
  now: Instant,
  waived: boolean,
): Promise<ScheduleRow['backlog']> {
  const older = (backlog ?? []).map((each) => ({ ...each, waived: each.waived || waived }));
  const own = next === null || next > now ? [] : [{ terms: scheduleSpecOf(before), next, until: now, waived }];
  const { batches, left } = takeBacklog([...older, ...own], mostAtOnce);
  await createTasks(tables, batches);
  return left.length > 0 ? [...left] : null;
}

/** Before a template is deleted: nobody may begin anything of it any more, and what it owes is lifted. */
export async function unscheduleTemplate(tables: Tables, template: RunTemplateRow): Promise<void> {
  await lockTemplates(tables, [template.id], 'wait');
  await waiveAll(tables, template.id, 'the template was deleted');
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
  await waiveAll(
    tables,
    template.id,
    template.active ? 'its app or company was disabled' : 'the template was deactivated',
  );
}

async function waiveAll(tables: Tables, templateId: number, reason: string): Promise<void> {
  await waiveTasks(tables, [['runtemplate_id', '=', templateId]], reason);
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
  { next, backlog, now }: { next: Instant | null; backlog: ScheduleRow['backlog']; now: Instant },
): Promise<void> {
  const set = { next_at: backlog ? now : next, next_window: next, backlog };
  await tables.of(Schedule).update([{ row: schedule, set }]);
}
