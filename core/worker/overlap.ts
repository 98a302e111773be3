import { Job, type JobRow } from '../job/job.ts';
import { requestStop } from '../job/stop-requests.ts';
import type { Instant } from '../loop/clock.ts';
import { readByIds, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';

/** A due job that may start now, with its Task and template as they were read under the template's lock. */
export interface Claim {
  readonly job: JobRow;
  readonly task: TaskRow | null;
  readonly template: RunTemplateRow;
}

/** A due job, with the running jobs that block it. */
export interface BlockedClaim {
  readonly claim: Claim;
  readonly blockers: readonly Blocker[];
}

/** Due jobs, divided by the overlap rules of their templates; both lists are in the order in which the jobs are to start. */
export interface DividedJobs {
  readonly claims: readonly Claim[];
  readonly blocked: readonly BlockedClaim[];
}

/** Divides due jobs by `divideByOverlap`, with what is stored. The caller has locked the templates. */
export async function applyOverlap(tables: Tables, jobs: readonly JobRow[], now: Instant): Promise<DividedJobs> {
  const templateIds = [...new Set(jobs.map((job) => job.runtemplate_id))];
  const taskIds = jobs.flatMap((job) => job.task_id ?? []);
  const [templates, tasks, running] = await Promise.all([
    readByIds(tables, RunTemplate, templateIds),
    readByIds(tables, Task, taskIds),
    readRunning(tables, templateIds),
  ]);
  return divideByOverlap(jobs, { templates, tasks, running }, now);
}

export interface OverlapContext {
  readonly templates: ReadonlyMap<number, RunTemplateRow>;
  readonly tasks: ReadonlyMap<number, TaskRow>;
  /** The running jobs of the templates. */
  readonly running: readonly Blocker[];
}

/**
 * Divides due jobs into those that may start now, each after those before it, and those that running ones block. A job
 * whose Task is past its start deadline is in neither list.
 */
export function divideByOverlap(
  jobs: readonly JobRow[],
  { templates, tasks, running }: OverlapContext,
  now: Instant,
): DividedJobs {
  const byTemplate = new RunningByTemplate(running);
  const claims: Claim[] = [];
  const blocked: BlockedClaim[] = [];
  for (const job of jobs) {
    const template = required(templates.get(job.runtemplate_id), `RunTemplate ${job.runtemplate_id}`);
    const task = job.task_id === null ? null : required(tasks.get(job.task_id), `Task ${job.task_id}`);
    // The scheduler will end a Task whose start deadline has passed; no job of it may start before that.
    if (task && task.start_deadline !== null && task.start_deadline < now) continue;
    const claim = { job, task, template };
    const blockers = byTemplate.blockersOf(job, template);
    if (blockers.length > 0) blocked.push({ claim, blockers });
    else {
      claims.push(claim);
      byTemplate.add(job);
    }
  }
  return { claims, blocked };
}

type Blocker = Pick<JobRow, 'id' | 'runtemplate_id' | 'task_id' | 'started_at' | 'stop_reason'>;

/** Returns the running jobs to stop so that the blocked one can start (`overlap: replace`). */
export function jobsToReplace({ claim: { job, template }, blockers }: BlockedClaim): Blocker[] {
  if (template.overlap !== 'replace' || job.caught_up) return [];
  return blockers.filter((blocker) => replaces(job, blocker));
}

/** Asks the running jobs that the blocked one replaces to stop. @returns those jobs. */
export async function stopReplacedJobs(tables: Tables, blocked: BlockedClaim): Promise<Blocker[]> {
  const replaced = jobsToReplace(blocked);
  await requestStop(tables, replaced, `replaced by job ${blocked.claim.job.id}`);
  return replaced;
}

/**
 * Whether a job replaces a running one: only if that one was running when the job became due, and is not an attempt of
 * the same Task. Otherwise the job waits, for instance one of several that became due at the same time.
 */
function replaces(job: JobRow, blocker: Blocker): boolean {
  if (blocker.started_at === null || blocker.started_at > job.scheduled_at) return false;
  return job.task_id === null || job.task_id !== blocker.task_id;
}

/** The running jobs of templates, which may block their due ones. */
class RunningByTemplate {
  readonly #byTemplate = new Map<number, Blocker[]>();

  constructor(jobs: readonly Blocker[]) {
    for (const job of jobs) this.add(job);
  }

  add(job: Blocker): void {
    const jobs = this.#byTemplate.get(job.runtemplate_id);
    if (jobs) jobs.push(job);
    else this.#byTemplate.set(job.runtemplate_id, [job]);
  }

  blockersOf(job: JobRow, template: RunTemplateRow): Blocker[] {
    const running = this.#byTemplate.get(template.id) ?? [];
    const { overlap, max_running } = template;
    if (overlap !== 'allow' || (max_running !== null && running.length >= max_running)) return running;
    return job.task_id === null ? [] : running.filter((candidate) => candidate.task_id === job.task_id);
  }
}

async function readRunning(tables: Tables, templateIds: readonly number[]): Promise<Blocker[]> {
  return tables.of(Job).find({
    where: [
      ['runtemplate_id', 'in', templateIds],
      ['state', '=', 'running'],
    ],
    columns: ['id', 'runtemplate_id', 'task_id', 'started_at', 'stop_reason'],
  });
}
