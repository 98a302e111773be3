import { blockJobs } from '../job/blocked-jobs.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/read-by-ids.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import { queuedJobs } from './queued-jobs.ts';

/** A due job that may start now, with its Task and template as they were read under the template's lock. */
export interface Claim {
  readonly job: JobRow;
  readonly task: TaskRow | null;
  readonly template: RunTemplateRow;
}

export interface ClaimOptions {
  /** The executors that this worker has. */
  readonly executors: readonly string[];
  readonly most: number;
}

/**
 * The due jobs that may start now, oldest first, by the overlap rules of their templates. Those that another running
 * job keeps from starting are put aside. Nothing is marked as running yet: that is the caller's part.
 */
export async function claimJobs(tables: Tables, { executors, most }: ClaimOptions): Promise<Claim[]> {
  const now = await tables.now();
  const seen = await queuedJobs(tables, executors, ['queue_at', '<=', now], most);
  const locked = await lockTemplates(
    tables,
    seen.map((job) => job.runtemplate_id),
    'skip',
  );
  const ours = seen.filter((job) => locked.has(job.runtemplate_id)).map((job) => job.id);
  if (ours.length === 0) return [];
  const still: Where<JobRow> = [
    ['id', 'in', ours],
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', now],
    ['executor', 'in', executors],
  ];
  const jobs = await tables.of(Job).find({ where: still, order: [['queue_at', 'asc']] });
  const { claims, kept } = await applyOverlap(tables, jobs, now);
  await blockJobs(
    tables,
    kept.map(({ claim }) => claim.job.id),
  );
  for (const each of kept) await requestStop(tables, replacedBy(each), replacing(each));
  return claims;
}

/** A job that others keep from starting. */
export interface BlockedClaim {
  readonly claim: Claim;
  /** The running jobs that are in its way. */
  readonly others: readonly RunningJob[];
}

/**
 * Which of these due jobs may start now, in the order given, and which others are in the way of. Those whose last
 * moment to start has passed are in neither list. The caller holds the templates' locks.
 */
export async function applyOverlap(
  tables: Tables,
  jobs: readonly JobRow[],
  now: Instant,
): Promise<{ readonly claims: Claim[]; readonly kept: BlockedClaim[] }> {
  const templateIds = [...new Set(jobs.map((job) => job.runtemplate_id))];
  const taskIds = jobs.flatMap((job) => job.task_id ?? []);
  const [templates, tasks, runningJobs] = await Promise.all([
    readByIds(tables, RunTemplate, templateIds),
    readByIds(tables, Task, taskIds),
    runningOf(tables, templateIds),
  ]);
  const running = new Running(runningJobs);
  const claims: Claim[] = [];
  const kept: BlockedClaim[] = [];
  for (const job of jobs) {
    const template = templates.get(job.runtemplate_id) as RunTemplateRow;
    const task = job.task_id === null ? null : (tasks.get(job.task_id) as TaskRow);
    // The scheduler ends a Task whose last moment has passed; it must not be started in the meantime.
    if (task && task.last_start !== null && task.last_start < now) continue;
    const others = running.inTheWay(job, template);
    if (others.length === 0) {
      claims.push({ job, task, template });
      running.add(job);
    } else kept.push({ claim: { job, task, template }, others });
  }
  return { claims, kept };
}

type RunningJob = Pick<JobRow, 'id' | 'runtemplate_id' | 'task_id' | 'started_at' | 'stop_reason'>;

/** The running jobs that are to be stopped so that this one can start. */
export function replacedBy({ claim: { job, task, template }, others }: BlockedClaim): RunningJob[] {
  if (template.overlap !== 'replace' || task?.caught_up) return [];
  return others.filter((other) => replaces(job, other));
}

/** Why they are stopped. */
export function replacing({ claim: { job } }: BlockedClaim): string {
  return `replaced by job ${job.id}`;
}

/**
 * Whether a job takes the place of a running one: one that was running already when the job fell due. What is late
 * itself, because several fell due at once, waits its turn, and so does another attempt of the same Task.
 */
function replaces(job: JobRow, other: RunningJob): boolean {
  if (other.started_at === null || other.started_at > job.scheduled_at) return false;
  return job.task_id === null || job.task_id !== other.task_id;
}

/** The jobs that run now, and which of them keep another one from starting. */
class Running {
  readonly #byTemplate = new Map<number, RunningJob[]>();

  constructor(jobs: readonly RunningJob[]) {
    for (const job of jobs) this.add(job);
  }

  add(job: RunningJob): void {
    const jobs = this.#byTemplate.get(job.runtemplate_id);
    if (jobs) jobs.push(job);
    else this.#byTemplate.set(job.runtemplate_id, [job]);
  }

  inTheWay(job: JobRow, template: RunTemplateRow): RunningJob[] {
    const running = this.#byTemplate.get(template.id) ?? [];
    if (template.overlap !== 'allow') return running;
    return job.task_id === null ? [] : running.filter((other) => other.task_id === job.task_id);
  }
}

async function runningOf(tables: Tables, templateIds: readonly number[]): Promise<RunningJob[]> {
  return tables.of(Job).find({
    where: [
      ['runtemplate_id', 'in', templateIds],
      ['state', '=', 'running'],
    ],
    columns: ['id', 'runtemplate_id', 'task_id', 'started_at', 'stop_reason'],
  });
}

/** Asks whoever runs these jobs to stop them. */
export async function requestStop(tables: Tables, jobs: readonly RunningJob[], reason: string): Promise<void> {
  const ids = jobs.filter((job) => job.stop_reason === null).map((job) => job.id);
  const running: Where<JobRow> = [
    ['id', 'in', ids],
    ['state', '=', 'running'],
  ];
  if (ids.length > 0) await tables.of(Job).updateWhere(running, { stop_reason: reason.slice(0, 1000) });
}
