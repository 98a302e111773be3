import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { endOfPause } from '../pause/pause.ts';
import { readPauses } from '../pause/pauses.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { Schedule } from '../template/schedule.ts';
import { describeDuration } from '../time/duration.ts';
import { formatShortLocalTime } from '../time/local-time.ts';
import type { SummaryProblem } from './problem.ts';
import { notRecovered } from './recovery.ts';
import type { Scope } from './scope.ts';

/** How many running Tasks, and how many open ones, those whose last start is nearest, are looked at. */
const maxLooked = 500;

const columns = ['id', 'runtemplate_id', 'company_id', 'window_start', 'deadline', 'start_deadline', 'state'] as const;
type LiveTask = Pick<TaskRow, (typeof columns)[number]>;

/** The job of a Task that runs or is to start. */
type LiveJob = Pick<JobRow, 'id' | 'task_id' | 'state' | 'scheduled_at' | 'started_at'>;

/**
 * Finds the Tasks that will be late if their attempts take as long as usual: those that run, and those that wait for their
 * start. Templates without a successful attempt have no usual duration, so they are left out, as are Tasks that a pause will
 * outlast: they are not owed.
 */
export async function findTasksAtRisk(
  tables: Tables,
  scope: Scope,
  { now, timezone }: { readonly now: Instant; readonly timezone: string },
): Promise<SummaryProblem[]> {
  const tasks = await liveTasks(tables, scope, now);
  const usual = await usualDurations(tables, tasks);
  const measured = tasks.filter(({ runtemplate_id }) => usual.has(runtemplate_id));
  const [jobs, pauses] = await Promise.all([liveJobs(tables, measured), readPauses(tables, measured)]);
  return measured.flatMap((task): SummaryProblem[] => {
    const job = jobs.get(task.id);
    const duration = usual.get(task.runtemplate_id) ?? 0;
    const planned = startOf(job, now);
    const pause = job?.state === 'running' ? undefined : pauses.at(task, planned);
    const start = pause ? endOfPause(pause) : planned;
    if (pause && task.start_deadline !== null && start > task.start_deadline) return [];
    if (start + duration <= task.deadline) return [];
    const { id: task_id, runtemplate_id, company_id, window_start, deadline } = task;
    const time = (instant: Instant) => formatShortLocalTime(instant, timezone, now);
    const beginning =
      job?.state === 'running'
        ? `job ${job.id} has run for ${describeDuration(now - start)} and`
        : `it starts at ${time(start)} at the earliest and`;
    const reason = `${beginning} usually takes ${describeDuration(duration)}; the deadline is ${time(deadline)}`;
    const about = { runtemplate_id, company_id, task_id, job_id: job?.id ?? null, window_start, deadline };
    return [{ kind: 'will_be_late', ...about, count: 1, since: null, reason, ...notRecovered }];
  });
}

/** Reads Tasks that have not ended and whose deadline lies ahead. */
async function liveTasks(tables: Tables, scope: Scope, now: Instant): Promise<LiveTask[]> {
  const [running, open] = await Promise.all([
    tables.of(Task).find({ where: [['state', '=', 'running'], ...scope], limit: maxLooked, columns }),
    tables.of(Task).find({
      where: [['start_deadline', '>=', now], ...scope],
      order: [
        ['start_deadline', 'asc'],
        ['company_id', 'asc'],
      ],
      limit: maxLooked,
      columns,
    }),
  ]);
  return [...running, ...open].filter(({ deadline }) => deadline >= now);
}

/** Reads how long attempts usually take, in milliseconds, by template. */
async function usualDurations(tables: Tables, tasks: readonly LiveTask[]): Promise<ReadonlyMap<number, number>> {
  const ids = [...new Set(tasks.map(({ runtemplate_id }) => runtemplate_id))];
  if (ids.length === 0) return new Map();
  const rows = await tables
    .of(Schedule)
    .find({ where: [['runtemplate_id', 'in', ids]], columns: ['runtemplate_id', 'duration_mean'] });
  return new Map(
    rows.flatMap(({ runtemplate_id, duration_mean }) =>
      duration_mean === null ? [] : [[runtemplate_id, duration_mean] as const],
    ),
  );
}

/** Reads the jobs of Tasks that run or are to start, by Task; a running one comes before one that waits. */
async function liveJobs(tables: Tables, tasks: readonly LiveTask[]): Promise<ReadonlyMap<number | null, LiveJob>> {
  if (tasks.length === 0) return new Map();
  const jobs = await tables.of(Job).find({
    where: [
      ['task_id', 'in', tasks.map(({ id }) => id)],
      ['state', 'in', ['scheduled', 'running']],
    ],
    columns: ['id', 'task_id', 'state', 'scheduled_at', 'started_at'],
  });
  const byState = jobs.sort((one, other) => (one.state < other.state ? 1 : -1));
  return new Map(byState.map((job) => [job.task_id, job]));
}

/** Returns when an attempt started, or when it can start at the earliest. */
function startOf(job: LiveJob | undefined, now: Instant): Instant {
  if (job?.state === 'running') return job.started_at ?? now;
  return Math.max(now, job?.scheduled_at ?? now);
}
