import type { Tables } from '../resource/store.ts';
import type { DueWindows } from './due-windows.ts';
import { Job, type JobRow } from './job.ts';
import { liftTasks } from './lift-tasks.ts';
import { firstJob, makeTask } from './make-task.ts';
import { Task } from './task.ts';
import type { Terms } from './terms.ts';

/** The windows of one template that need their Task now. */
export interface Beginning {
  readonly template: Terms;
  readonly windows: DueWindows['windows'];
}

/**
 * Gives windows their Tasks, and those that are to be met their first jobs. A window that has its Task already keeps
 * it, and the job that was made with it. The caller holds the templates' locks.
 */
export async function beginWindows(tables: Tables, beginnings: readonly Beginning[]): Promise<void> {
  const rows = beginnings.flatMap(({ template, windows }) =>
    windows.map(({ window, treatment }) => ({ template, treatment, task: makeTask(template, window, treatment) })),
  );
  const ids = await tables.of(Task).insertAbsent(
    rows.map(({ task }) => task),
    ['runtemplate_id', 'window_start'],
  );
  const jobs: Omit<JobRow, 'id'>[] = [];
  const lifted: number[] = [];
  for (const [index, { template, treatment, task }] of rows.entries()) {
    const id = ids[index];
    if (typeof id !== 'number' || treatment === 'missed') continue;
    if (treatment === 'lifted') lifted.push(id);
    else jobs.push(firstJob(template, { ...task, id }));
  }
  await tables.of(Job).insert(jobs);
  if (lifted.length > 0)
    await liftTasks(tables, [['id', 'in', lifted]], 'the template was changed before it was scheduled');
}
