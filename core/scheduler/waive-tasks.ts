import { conflict, type FieldError } from '../errors.ts';
import { describeFields } from '../field/field-description.ts';
import { text } from '../field/fields.ts';
import { assertMayRun } from '../job/job-access.ts';
import { endPendingJobs, pendingJobs, unblockOldest } from '../job/pending-jobs.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readFields, requireFields, throwIfInvalid } from '../records/input.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { RowValues } from '../store/table.ts';
import { isTaskEnded, Task, type TaskRow, taskVerbs } from '../task/task.ts';
import { waiverChanges } from '../task/task-outcome.ts';
import { lockTemplates } from '../template/schedule.ts';

/**
 * Waives the selected Tasks that have not ended: they are no longer owed. Cancels their pending jobs. The caller has locked
 * the templates; a caller that leaves them active also unblocks their oldest blocked jobs.
 */
export async function waiveTasks(tables: Tables, where: Where<TaskRow>, reason: string): Promise<void> {
  const tasks = await tables.of(Task).find({ where: [...where, ['state', 'in', ['open', 'running']]] });
  if (tasks.length === 0) return;
  const now = await tables.now();
  await tables.of(Task).update(tasks.map((task) => ({ row: task, set: waiverChanges(task, reason, now) })));
  const jobs = await pendingJobs(
    tables,
    tasks.map((task) => task.id),
  );
  await endPendingJobs(tables, jobs, 'cancelled', reason);
}

const fields = { reason: text(500, { description: 'Why it is no longer owed.' }).required() };

/** The fields of a request to waive a Task, for documentation and for channels. */
export const waiverFields = describeFields(fields);

/** What a request to waive a Task says. */
export interface WaiverFields {
  /** Why it is no longer owed. */
  readonly reason: string;
}

/**
 * Waives Tasks that have not ended, for a person, all or none: they are cancelled, and their pending jobs with them. A
 * running attempt may finish and decides its Task, but no retry follows.
 * @returns the Tasks, in the order of their ids.
 * @throws HorariumError `invalid` without a reason, `not_found`, `denied`, or `conflict` for a Task that has ended.
 */
export async function waiveTasksByPerson(
  tables: Tables,
  actor: Actor,
  ids: readonly number[],
  waiver: RowValues,
): Promise<TaskRow[]> {
  const reason = readReason(waiver);
  const templateIds = (await visibleTasks(tables, actor, ids)).map(({ runtemplate_id }) => runtemplate_id);
  await lockTemplates(tables, templateIds, 'wait');
  const tasks = await visibleTasks(tables, actor, ids);
  for (const { id, company_id, state } of tasks) {
    assertMayRun(actor, company_id);
    if (isTaskEnded(state)) throw conflict(`Task ${id} has already ended: it ${taskVerbs[state]}.`);
  }
  await waiveTasks(tables, [['id', 'in', ids]], `waived by ${actor.name}: ${reason}`);
  await unblockOldest(tables, templateIds);
  return tables.of(Task).find({ where: [['id', 'in', ids]], order: [['id', 'asc']] });
}

async function visibleTasks(tables: Tables, actor: Actor, ids: readonly number[]): Promise<TaskRow[]> {
  const tasks: TaskRow[] = [];
  for (const id of ids) {
    await yieldToEventLoop();
    tasks.push(await readVisible(tables, actor, Task, id));
  }
  return tasks;
}

function readReason(waiver: RowValues): string {
  const errors: FieldError[] = [];
  const { reason } = readFields(fields, waiver, 'a field of a waiver', errors);
  requireFields(fields, waiver, errors);
  if (errors.length === 0 && !reason?.trim())
    errors.push({ field: 'reason', message: 'reason must say why the Task is no longer owed' });
  throwIfInvalid('Task', errors);
  return reason as string;
}
