import { Job, type JobRow } from '../job/job.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import type { ScheduleSpec } from '../template/schedule-spec.ts';
import type { DueWindows } from './due-windows.ts';
import { firstJob, newTask } from './new-task.ts';
import { waiveTasks } from './waive-tasks.ts';

/** The windows of one template that need their Task now. */
export interface WindowBatch {
  readonly template: ScheduleSpec;
  readonly windows: DueWindows['windows'];
}

/**
 * Gives windows their Tasks, and those that are to be met their first jobs. A window that has its Task already keeps
 * it, and the job that was made with it. The caller holds the templates' locks.
 */
export async function createTasks(tables: Tables, batches: readonly WindowBatch[]): Promise<void> {
  const rows = batches.flatMap(({ template, windows }) =>
    windows.map(({ window, treatment }) => ({ template, treatment, task: newTask(template, window, treatment) })),
  );
  const ids = await tables.of(Task).insertAbsent(
    rows.map(({ task }) => task),
    ['runtemplate_id', 'window_start'],
  );
  const jobs: Omit<JobRow, 'id'>[] = [];
  const waived: number[] = [];
  for (const [index, { template, treatment, task }] of rows.entries()) {
    const id = ids[index];
    if (typeof id !== 'number' || treatment === 'missed') continue;
    if (treatment === 'waived') waived.push(id);
    else jobs.push(firstJob(template, { ...task, id }));
  }
  await tables.of(Job).insert(jobs);
  if (waived.length > 0)
    await waiveTasks(tables, [['id', 'in', waived]], 'the template was changed before it was scheduled');
}
