import { Job, type JobRow } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import { maskOverrides } from '../job/overrides.ts';
import { unblockOldest } from '../job/pending-jobs.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow } from '../task/task.ts';
import { outcomeChanges } from '../task/task-outcome.ts';
import { transition } from '../task/transition.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { finishJobs, lostAttempt } from '../worker/finish/finish-jobs.ts';
import { AgentLease, type AgentLeaseRow, deleteAgentLeases, lockAgentLeases } from './agent-lease.ts';

/**
 * Takes attempts back that an agent has not started and will never start, because the answer to its claim did not arrive.
 * They do not count: their jobs are queued again as they were. One that is to be stopped, or whose Task is no longer owed,
 * ends as lost.
 * @returns how many attempts were taken back.
 */
export async function releaseClaims(tables: Tables, agent: string, claims: readonly string[]): Promise<number> {
  if (claims.length === 0) return 0;
  const where: Where<AgentLeaseRow> = [
    ['claim', 'in', claims],
    ['agent', '=', agent],
    ['reported', '=', 0],
  ];
  const leases = await tables.of(AgentLease).find({ where, columns: ['job_id'] });
  return releaseJobs(
    tables,
    leases.map(({ job_id }) => job_id),
    (lease) => lease.agent === agent && claims.includes(lease.claim),
  );
}

/**
 * Takes those attempts of these jobs back of which nothing was reported, as `releaseClaims` does.
 * @param isReleased called with each lease once it is locked.
 */
export async function releaseJobs(
  tables: Tables,
  jobIds: readonly number[],
  isReleased: (lease: AgentLeaseRow) => boolean,
): Promise<number> {
  if (jobIds.length === 0) return 0;
  const found = await readByIds(tables, Job, jobIds, ['id', 'runtemplate_id']);
  const lockedIds = await lockTemplatesOf(tables, [...found.values()], 'wait');
  const leases = await lockAgentLeases(tables, lockedIds);
  const unstarted = [...leases.values()].filter((lease) => lease.reported === 0 && isReleased(lease));
  const ids = unstarted.map(({ job_id }) => job_id);
  const jobs = [...(await readByIds(tables, Job, ids)).values()];
  const tasks = await readByIds(
    tables,
    Task,
    jobs.flatMap(({ task_id }) => task_id ?? []),
  );
  const taskOf = ({ task_id }: JobRow) => (task_id === null ? undefined : tasks.get(task_id));
  const unwanted = jobs.filter((job) => job.stop_reason !== null || (taskOf(job)?.waived_reason ?? null) !== null);
  const now = await tables.now();
  await deleteAgentLeases(tables, ids);
  await finishJobs(
    tables,
    unwanted.map((job) => lostAttempt(job, now, 'its agent never started it')),
  );
  const wanted = jobs.filter((job) => !unwanted.includes(job));
  await tables.of(Job).update(wanted.map((row) => ({ row, set: asQueued(row, taskOf(row)) })));
  const attempted = wanted.flatMap((job) => taskOf(job) ?? []);
  await tables.of(Task).update(attempted.map((row) => ({ row, set: withoutAttempt(row) })));
  // A job that this one blocked may come before it.
  await unblockOldest(
    tables,
    wanted.map(({ runtemplate_id }) => runtemplate_id),
  );
  return ids.length;
}

/** Returns the columns of a job as they were before it was claimed. */
function asQueued(job: JobRow, task: TaskRow | undefined): Partial<JobRow> {
  return {
    state: transition(jobTransitions, job.state, 'scheduled'),
    queue_at: job.scheduled_at,
    attempt: task ? task.attempts : job.attempt,
    started_at: null,
    worker: null,
    command: null,
    arguments: [],
    environment: maskOverrides(job.overrides),
    // It was prepared, and ended nothing.
    claims: 0,
    app_version: null,
    given_secrets: null,
    ping_key_hash: null,
  };
}

/** Returns the changes of a Task whose running attempt does not count. An ended one that is repeated keeps its state. */
function withoutAttempt(task: TaskRow): Partial<TaskRow> {
  const attempts = task.attempts - 1;
  if (isTaskEnded(task.state)) return { attempts };
  return { ...outcomeChanges(task, { state: 'open', reason: null, retryAt: null }, 0), attempts };
}
