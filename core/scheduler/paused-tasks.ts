import { type PendingJob, updatePendingJobs } from '../job/pending-jobs.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { describePause, type PauseRow } from '../pause/pause.ts';
import { readPausesDuring } from '../pause/pauses.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { caughtUpLimits } from './due-windows.ts';
import { waiveTasks } from './waive-tasks.ts';

type PausableTask = Pick<TaskRow, 'runtemplate_id' | 'company_id' | 'start_deadline'>;

/** A Task without an attempt, and the pause in which its start deadline lies. */
export interface PausedTask {
  readonly task: TaskRow;
  readonly pause: PauseRow;
}

/** Returns for each Task the pause in which its start deadline lies; undefined = none, or it has no such deadline. */
export async function pausesOfTasks(
  tables: Tables,
  tasks: readonly PausableTask[],
): Promise<readonly (PauseRow | undefined)[]> {
  const deadlines = tasks.flatMap(({ start_deadline }) => start_deadline ?? []);
  if (deadlines.length === 0) return tasks.map(() => undefined);
  const [from, to] = spanOf(deadlines);
  const pauses = await readPausesDuring(tables, tasks, { from, to });
  return tasks.map((task) => (task.start_deadline === null ? undefined : pauses.at(task, task.start_deadline)));
}

function spanOf(instants: readonly Instant[]): [from: Instant, to: Instant] {
  return instants.reduce<[Instant, Instant]>(
    ([from, to], at) => [Math.min(from, at), Math.max(to, at)],
    [Infinity, -Infinity],
  );
}

/**
 * Lets the first attempts at Tasks whose start deadline has passed in a pause start after it, as its `catch_up` says: those
 * of older windows are cancelled. The caller has locked the templates.
 * @param jobs the pending jobs of these Tasks.
 */
export async function catchUpPaused(
  tables: Tables,
  paused: readonly PausedTask[],
  jobs: readonly PendingJob[],
): Promise<void> {
  if (paused.length === 0) return;
  const set = { caught_up: true, start_deadline: null };
  await tables.of(Task).update(paused.map(({ task }) => ({ row: task, set })));
  const ids = new Set<number | null>(paused.map(({ task }) => task.id));
  const own = jobs.filter((job) => ids.has(job.task_id));
  await updatePendingJobs(
    tables,
    own.map((row) => ({
      row,
      set: { caught_up: true, ...(row.trigger === 'schedule' && { trigger: 'catch_up' as const }) },
    })),
  );
  for (const [templateId, ofTemplate] of Map.groupBy(paused, ({ task }) => task.runtemplate_id)) {
    await yieldToEventLoop();
    const { pause } = ofTemplate.at(-1) as PausedTask;
    await cancelOlder(tables, templateId, pause);
  }
}

/**
 * Cancels the Tasks of a template whose windows ended in a pause and that wait to be caught up, beyond the newest ones that
 * the pause lets run.
 */
async function cancelOlder(tables: Tables, templateId: number, pause: PauseRow): Promise<void> {
  const older = await tables.of(Task).find({
    where: [
      ['runtemplate_id', '=', templateId],
      ['state', '=', 'open'],
      ['caught_up', '=', true],
      ['attempts', '=', 0],
      ['window_end', '>', pause.starts_at ?? 0],
    ],
    order: [['window_start', 'desc']],
    offset: caughtUpLimits[pause.catch_up],
    columns: ['id'],
  });
  const ids = older.map(({ id }) => id);
  await waiveTasks(tables, [['id', 'in', ids]], describePause(pause));
}
