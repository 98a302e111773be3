import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import { Task, type TaskRow } from '../task/task.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import { Schedule } from '../template/schedule.ts';
import { changesSince } from './changes-since.ts';
import { type ComparedJob, comparedColumns, differencesOf } from './differences.ts';
import type { ChangesSinceSuccess } from './explanation.ts';
import { fulfilledBefore } from './fulfilled-before.ts';
import type { WhyContext } from './why-context.ts';

/** How many Tasks before a run are looked at for the last one that was fulfilled, and how many of them first. */
const maxLooked = 1000;
const firstLooked = 10;

/** A run that failed, was missed or is late: an attempt, or the lack of one. */
export interface UnmetRun {
  readonly template: RunTemplateRow;
  /** Its Task; null = ad hoc. */
  readonly task: Pick<TaskRow, 'id' | 'window_start'> | null;
  /** Its attempt that ended last; null = none started. */
  readonly jobId: number | null;
  /** When it ended; now while it has not. */
  readonly ended: Instant;
  /** Up to when changes are listed. */
  readonly until: Instant;
  /** Whether it was late alone, so that only a success in time is one. */
  readonly late: boolean;
}

/** Tells what is different in such a run since the last success before it. */
export async function sinceSuccess(context: WhyContext, run: UnmetRun): Promise<ChangesSinceSuccess> {
  const { tables } = context;
  const { template, task, jobId, ended, until } = run;
  const [attempt] = jobId === null ? [] : await compared(context, [['id', '=', jobId]]);
  const success = await lastSuccess(context, run, attempt?.started_at ?? ended);
  const [schedule] = await tables.of(Schedule).find({
    where: [['runtemplate_id', '=', template.id]],
    columns: ['duration_mean', 'duration_deviation'],
  });
  const { duration_mean: mean = null, duration_deviation: deviation = null } = schedule ?? {};
  const usual = mean === null || deviation === null ? null : { mean, deviation };
  const since = success?.started_at ?? template.created_at;
  // What was saved at that very moment belongs to the success.
  return {
    job_id: success?.id ?? null,
    fulfilled_before: task && (await fulfilledBefore(tables, { ...task, runtemplate_id: template.id })),
    since,
    ...(await changesSince(context, template, { from: since + 1, to: until })),
    differences: attempt ? differencesOf(success, attempt, usual) : [],
  };
}

/**
 * Finds the last attempt that had succeeded when a run started: that which fulfilled a Task, or a later one without a Task,
 * or too late for its own.
 */
async function lastSuccess(context: WhyContext, run: UnmetRun, start: Instant): Promise<ComparedJob | undefined> {
  const fulfilling = await lastFulfilling(context, run, start);
  const [latest] = await context.tables.of(Job).find({
    where: [
      ['runtemplate_id', '=', run.template.id],
      ['state', '=', 'succeeded'],
      // So that an index has them in the order of their ids.
      ['queue_at', '=', null],
      ['id', '>', fulfilling ?? 0],
      ['finished_at', '<=', start],
      ...(run.late ? ([['task_id', '=', null]] as const) : []),
    ],
    order: [['id', 'desc']],
    limit: 1,
    columns: ['id'],
  });
  const id = latest?.id ?? fulfilling;
  return id === null ? undefined : (await compared(context, [['id', '=', id]]))[0];
}

/** Returns the job that fulfilled a Task last when a run started; null = none of the newest Tasks before it was. */
async function lastFulfilling(
  { tables }: WhyContext,
  { template, task, late }: UnmetRun,
  start: Instant,
): Promise<number | null> {
  let before = task?.window_start ?? start;
  for (let looked = 0, limit = firstLooked; looked < maxLooked; looked += limit) {
    await yieldToEventLoop();
    limit = Math.min(Math.max(limit, looked * 4), maxLooked - looked);
    const page = await tables.of(Task).find({
      where: [
        ['runtemplate_id', '=', template.id],
        ['window_start', '<', before],
      ],
      order: [['window_start', 'desc']],
      limit,
      columns: ['state', 'window_start', 'fulfilled_by_job_id', 'fulfilled_at'],
    });
    const found = page.find(
      ({ state, fulfilled_at }) =>
        (state === 'fulfilled' || (!late && state === 'fulfilled_late')) && (fulfilled_at ?? Infinity) <= start,
    );
    if (found) return found.fulfilled_by_job_id;
    if (page.length < limit) return null;
    before = page.at(-1)?.window_start ?? 0;
  }
  return null;
}

function compared({ tables }: WhyContext, where: Where<JobRow>): Promise<ComparedJob[]> {
  return tables.of(Job).find({ where, columns: comparedColumns });
}
