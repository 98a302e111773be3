import { blockJobs } from '../job/blocked-jobs.ts';
import { Job, type JobRow } from '../job/job.ts';
import { requestStop } from '../job/stop-requests.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Term, Where } from '../store/query.ts';
import { found, readByIds } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';

/** A due job that may start now, with its Task and template as they were read under the template's lock. */
export interface Claim {
  readonly job: JobRow;
  readonly task: TaskRow | null;
  readonly template: RunTemplateRow;
}

export interface ClaimOptions {
  /** The names of the executors that this worker has. */
  readonly executors: readonly string[];
  readonly max: number;
}

/**
 * Claims the due jobs that may start now, oldest first, by the overlap rules of their templates. Jobs that a running one
 * keeps from starting are blocked. No job is marked as running yet: `markRunning` does that.
 */
export async function claimJobs(tables: Tables, { executors, max }: ClaimOptions): Promise<Claim[]> {
  const now = await tables.now();
  const due = await queuedJobs(tables, executors, ['queue_at', '<=', now], max);
  const locked = await lockTemplates(
    tables,
    due.map((job) => job.runtemplate_id),
    'skip',
  );
  const ours = due.filter((job) => locked.has(job.runtemplate_id)).map((job) => job.id);
  if (ours.length === 0) return [];
  const stillDue: Where<JobRow> = [
    ['id', 'in', ours],
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', now],
    ['executor', 'in', executors],
  ];
  const jobs = await tables.of(Job).find({ where: stillDue, order: [['queue_at', 'asc']] });
  const { claims, blocked } = await applyOverlap(tables, jobs, now);
  await blockJobs(
    tables,
    blocked.map(({ claim }) => claim.job.id),
  );
  for (const each of blocked) await requestStop(tables, jobsToReplace(each), replaceReason(each));
  return claims;
}

/** How long until the next queued job of these executors falls due; Infinity = none is queued. */
export async function untilNextJob(tables: Tables, executors: readonly string[]): Promise<Milliseconds> {
  const [[next], now] = await Promise.all([queuedJobs(tables, executors, ['queue_at', '!=', null], 1), tables.now()]);
  return next ? next.queue_at - now : Infinity;
}

interface QueuedJob extends Pick<JobRow, 'id' | 'runtemplate_id'> {
  readonly queue_at: Instant;
}

/**
 * Queued jobs of these executors, those first that are due first. Each executor is looked up by itself, in the order of
 * an index, so that blocked jobs cost nothing here, however many there are.
 */
async function queuedJobs(
  tables: Tables,
  executors: readonly string[],
  when: Term<JobRow>,
  max: number,
): Promise<QueuedJob[]> {
  const found = await Promise.all(
    executors.map((executor) =>
      tables.of(Job).find({
        where: [['executor', '=', executor], ['state', '=', 'scheduled'], when],
        order: [['queue_at', 'asc']],
        limit: max,
        columns: ['id', 'runtemplate_id', 'queue_at'],
      }),
    ),
  );
  const queued = found.flat().filter((job): job is QueuedJob => job.queue_at !== null);
  return queued.sort((one, other) => one.queue_at - other.queue_at || one.id - other.id).slice(0, max);
}

/** A due job that running ones keep from starting. */
export interface BlockedClaim {
  readonly claim: Claim;
  readonly blockers: readonly RunningJob[];
}

/**
 * Decides by the overlap rules which of these due jobs may start now, in the order given, and which are blocked. A job
 * whose last moment to start has passed is in neither list. The caller holds the templates' locks.
 */
export async function applyOverlap(
  tables: Tables,
  jobs: readonly JobRow[],
  now: Instant,
): Promise<{ readonly claims: Claim[]; readonly blocked: BlockedClaim[] }> {
  const templateIds = [...new Set(jobs.map((job) => job.runtemplate_id))];
  const taskIds = jobs.flatMap((job) => job.task_id ?? []);
  const [templates, tasks, runningJobs] = await Promise.all([
    readByIds(tables, RunTemplate, templateIds),
    readByIds(tables, Task, taskIds),
    runningOf(tables, templateIds),
  ]);
  const running = new RunningJobs(runningJobs);
  const claims: Claim[] = [];
  const blocked: BlockedClaim[] = [];
  for (const job of jobs) {
    const template = found(templates.get(job.runtemplate_id), `RunTemplate ${job.runtemplate_id}`);
    const task = job.task_id === null ? null : found(tasks.get(job.task_id), `Task ${job.task_id}`);
    // The scheduler ends a Task whose last moment has passed; it must not be started in the meantime.
    if (task && task.last_start !== null && task.last_start < now) continue;
    const claim = { job, task, template };
    const blockers = running.blockersOf(job, template);
    if (blockers.length > 0) blocked.push({ claim, blockers });
    else {
      claims.push(claim);
      running.add(job);
    }
  }
  return { claims, blocked };
}

type RunningJob = Pick<JobRow, 'id' | 'runtemplate_id' | 'task_id' | 'started_at' | 'stop_reason'>;

/** The running jobs that stop so that this one can start (`overlap: replace`). */
export function jobsToReplace({ claim: { job, task, template }, blockers }: BlockedClaim): RunningJob[] {
  if (template.overlap !== 'replace' || task?.caught_up) return [];
  return blockers.filter((other) => replaces(job, other));
}

/** The reason that the replaced jobs are given. */
export function replaceReason({ claim: { job } }: BlockedClaim): string {
  return `replaced by job ${job.id}`;
}

/**
 * Whether a job replaces a running one: only one that was running already when the job fell due. A job that is late
 * itself, because several fell due at once, waits instead, and so does another attempt of the same Task.
 */
function replaces(job: JobRow, other: RunningJob): boolean {
  if (other.started_at === null || other.started_at > job.scheduled_at) return false;
  return job.task_id === null || job.task_id !== other.task_id;
}

/** The running jobs by template. */
class RunningJobs {
  readonly #byTemplate = new Map<number, RunningJob[]>();

  constructor(jobs: readonly RunningJob[]) {
    for (const job of jobs) this.add(job);
  }

  add(job: RunningJob): void {
    const jobs = this.#byTemplate.get(job.runtemplate_id);
    if (jobs) jobs.push(job);
    else this.#byTemplate.set(job.runtemplate_id, [job]);
  }

  blockersOf(job: JobRow, template: RunTemplateRow): RunningJob[] {
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
