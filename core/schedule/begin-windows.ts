import type { Tables } from '../resource/store.ts';
import type { DueWindows } from './due-windows.ts';
import { Job } from './job.ts';
import { firstJob, makeTask } from './make-task.ts';
import type { RunTemplateRow } from './run-template.ts';
import { Task } from './task.ts';

/** The windows of one template that need their Task now. */
export interface Beginning {
  readonly template: RunTemplateRow;
  readonly windows: DueWindows['windows'];
}

/**
 * Gives windows their Tasks, and those that are to be met their first jobs. A window that has its Task already keeps
 * it, and the job that was made with it. The caller holds the templates' locks.
 */
export async function beginWindows(tables: Tables, beginnings: readonly Beginning[]): Promise<void> {
  const rows = beginnings.flatMap(({ template, windows }) =>
    windows.map(({ window, treatment }) => ({ template, task: makeTask(template, window, treatment) })),
  );
  const ids = await tables.of(Task).insertAbsent(
    rows.map(({ task }) => task),
    ['runtemplate_id', 'window_start'],
  );
  const jobs = rows.flatMap(({ template, task }, index) => {
    const id = ids[index];
    return typeof id === 'number' && task.state === 'open' ? [firstJob(template, { ...task, id })] : [];
  });
  await tables.of(Job).insert(jobs);
}
