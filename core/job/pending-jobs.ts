import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { listColumns } from '../resource/serialize-row.ts';
import type { Where } from '../store/query.ts';
import { batches, readByIds, required } from '../store/rows.ts';
import type { Change, Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { waiverChanges } from '../task/task-outcome.ts';
import { transition } from '../task/transition.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Job, type JobRow } from './job.ts';
import { jobTransitions } from './job-states.ts';

// A pending job (state `scheduled`) is queued for the time at which it is due (`queue_at`). A due job that may not start
// while another job of its template runs, or in a pause, is blocked: it leaves the queue (`queue_at` null) until then.

/** A pending job as lists show it: without its environment, because thousands may wait with a megabyte each. */
export type PendingJob = Omit<JobRow, 'arguments' | 'environment' | 'overrides' | 'given_secrets'>;

const columns = listColumns(Job) as (keyof PendingJob)[];

/** Reads jobs that have not started. */
export function readPendingJobs(tables: Tables, where: Where<JobRow>): Promise<PendingJob[]> {
  return tables.of(Job).find({ where: [...where, ['state', '=', 'scheduled']], columns });
}

/** Reads the jobs of these Tasks that have not started. */
export async function pendingJobs(tables: Tables, taskIds: readonly number[]): Promise<PendingJob[]> {
  return taskIds.length === 0 ? [] : readPendingJobs(tables, [['task_id', 'in', taskIds]]);
}

interface PendingChange {
  readonly row: PendingJob;
  readonly set: Partial<PendingJob>;
}

/** Changes pending jobs. */
export async function updatePendingJobs(tables: Tables, changes: readonly PendingChange[]): Promise<void> {
  // Only what is set is written and compared with the row, so the fields that it lacks stay as they are.
  await tables.of(Job).update(changes as readonly Change<JobRow>[]);
}

/** Ends jobs that have not started, because their Task has ended or is no longer owed. */
export async function endPendingJobs(
  tables: Tables,
  jobs: readonly PendingJob[],
  state: 'cancelled' | 'skipped',
  reason: string,
): Promise<void> {
  if (jobs.length === 0) return;
  const now = await tables.now();
  await updatePendingJobs(
    tables,
    jobs.map((job) => ({
      row: job,
      set: {
        state: transition(jobTransitions, job.state, state),
        reason,
        finished_at: now,
        queue_at: null,
      },
    })),
  );
}

/**
 * Cancels a job that has not started, and its Task with it unless another attempt of that Task runs or is pending.
 * The caller has locked the template.
 * @param by `cancelled by NAME`.
 * @param reason why, in the words of the person who cancels; null = `by` is the reason.
 */
export async function cancelPendingJob(tables: Tables, job: JobRow, by: string, reason: string | null): Promise<void> {
  await endPendingJobs(tables, [job], 'cancelled', reason ?? by);
  const taskReason = reason === null ? `job ${job.id} was ${by}` : `job ${job.id} was cancelled: ${reason}`;
  if (job.task_id !== null) await cancelTaskWithoutAttempts(tables, job.task_id, taskReason);
  await unblockOldest(tables, [job.runtemplate_id]);
}

async function cancelTaskWithoutAttempts(tables: Tables, taskId: number, reason: string): Promise<void> {
  const [task] = await tables.of(Task).find({ where: [['id', '=', taskId]] });
  if (task?.state !== 'open' || (await pendingJobs(tables, [taskId])).length > 0) return;
  await tables.of(Task).update([{ row: task, set: waiverChanges(task, reason, await tables.now()) }]);
}

/** The condition for blocked jobs. */
export const blocked: Where<JobRow> = [
  ['state', '=', 'scheduled'],
  ['queue_at', '=', null],
];

/** Whether a pending job is blocked. */
export function isBlocked({ queue_at }: Pick<JobRow, 'queue_at'>): boolean {
  return queue_at === null;
}

/** Blocks jobs until another one of their template ends. */
export async function blockJobs(tables: Tables, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tables.of(Job).updateWhere([['id', 'in', ids]], { queue_at: null });
}

/** Blocks all due jobs of these templates, in a pause. The caller has locked the templates. */
export async function blockDueJobs(tables: Tables, templateIds: readonly number[]): Promise<void> {
  if (templateIds.length === 0) return;
  const due: Where<JobRow> = [
    ['runtemplate_id', 'in', templateIds],
    ['queue_at', '<=', await tables.now()],
  ];
  await tables.of(Job).updateWhere(due, { queue_at: null });
}

/** Unblocks all jobs of a template, because the overlap rule that blocked them has changed. */
export async function unblockAll(tables: Tables, templateId: number): Promise<void> {
  const where: Where<JobRow> = [['runtemplate_id', '=', templateId], ...blocked];
  await tables.of(Job).updateWhere(where, { queue_at: await tables.now() });
}

/** Queues the blocked jobs of these templates as they were before a pause. The caller has locked the templates. */
export async function requeueBlocked(tables: Tables, templateIds: readonly number[]): Promise<void> {
  if (templateIds.length === 0) return;
  const jobs = await readPendingJobs(tables, [
    ['runtemplate_id', 'in', templateIds],
    ['queue_at', '=', null],
  ]);
  for (const some of batches(jobs, 500)) {
    await yieldToEventLoop();
    await updatePendingJobs(
      tables,
      some.map((row) => ({ row, set: { queue_at: row.scheduled_at } })),
    );
  }
}

/** Gives the pending jobs of a template the priority that it has by now. */
export async function rankPending(tables: Tables, templateId: number, priority: number): Promise<void> {
  await tables.of(Job).updateWhere(pendingOf(templateId), { rank: 0 - priority });
}

/** Gives the pending jobs of a template, as far as they have its executor, the placement that it has by now. */
export async function placePending(
  tables: Tables,
  { id, executor, placement }: Pick<RunTemplateRow, 'id' | 'executor' | 'placement'>,
): Promise<void> {
  await tables.of(Job).updateWhere([...pendingOf(id), ['executor', '=', executor]], { placement });
}

function pendingOf(templateId: number): Where<JobRow> {
  return [
    ['runtemplate_id', '=', templateId],
    ['state', '=', 'scheduled'],
  ];
}

/** Unblocks the pending attempts of these Tasks; the caller has ended their running ones. */
export async function unblockAttempts(tables: Tables, taskIds: readonly number[]): Promise<void> {
  if (taskIds.length === 0) return;
  await tables.of(Job).updateWhere([['task_id', 'in', taskIds], ...blocked], { queue_at: await tables.now() });
}

/**
 * Unblocks the oldest blocked job of each of these templates, after a job of theirs has ended, those that are owed now
 * before caught-up ones; of templates with `max_running` as many as may run. When these end or cannot start, they unblock the next. The caller has locked the templates.
 */
export async function unblockOldest(tables: Tables, templateIds: Iterable<number>): Promise<void> {
  const ids = [...new Set(templateIds)];
  if (ids.length === 0) return;
  const now = await tables.now();
  const counts = await tables.of(Job).countBy(['runtemplate_id'], [['runtemplate_id', 'in', ids], ...blocked]);
  const templates = await readByIds(
    tables,
    RunTemplate,
    counts.map(({ values }) => values[0]),
    ['id', 'max_running'],
  );
  for (const { values } of counts) {
    await yieldToEventLoop();
    const where: Where<JobRow> = [['runtemplate_id', '=', values[0]], ...blocked];
    const limit = await placesOf(tables, required(templates.get(values[0]), `RunTemplate ${values[0]}`));
    const oldest = await tables.of(Job).find({ where, order: byAge, limit, columns: ['id'] });
    const oldestIds = oldest.map(({ id }) => id);
    if (oldestIds.length > 0) await tables.of(Job).updateWhere([['id', 'in', oldestIds]], { queue_at: now });
  }
}

const byAge = [
  ['caught_up', 'asc'],
  ['scheduled_at', 'asc'],
] as const;

/** Returns how many further jobs of a template may run, at least one. */
async function placesOf(
  tables: Tables,
  { id, max_running }: Pick<RunTemplateRow, 'id' | 'max_running'>,
): Promise<number> {
  if (max_running === null) return 1;
  const running: Where<JobRow> = [
    ['runtemplate_id', '=', id],
    ['state', '=', 'running'],
  ];
  return Math.max(1, max_running - (await tables.of(Job).count(running, max_running)));
}

/**
 * Returns how many further jobs of a company may wait. Jobs of windows count, but are never refused.
 * @param maxQueued how many may wait. @default no limit
 */
export async function queueRoom(tables: Tables, companyId: number, maxQueued = Infinity): Promise<number> {
  if (maxQueued === Infinity) return Infinity;
  const waiting: Where<JobRow> = [
    ['state', '=', 'scheduled'],
    ['company_id', '=', companyId],
  ];
  return maxQueued - (await tables.of(Job).count(waiting, maxQueued));
}
