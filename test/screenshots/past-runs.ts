import { createHash } from 'node:crypto';
import { type Instant, Job, type Store, Task, type TaskState } from '@horarium/core';
import { JobOutput } from '#core/job/job-output';
import { batches } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';
import { apps, type PastTemplate } from './companies.ts';

const minute = 60_000;
const day = 1440 * minute;
/** How many days of it there are. */
export const pastDays = 29;
const rowsAtOnce = 500;
/** How long a job waits for its worker: times that were measured have milliseconds. */
const lag = 1417;

/** A line of output: seconds since its attempt began, the text, and whether it is of the error stream. */
export type OutputLine = readonly [seconds: number, text: string, isError?: boolean];

/** An attempt of a scripted run. */
export interface ToldAttempt {
  readonly startedAt: Instant;
  /** Null = it runs. */
  readonly finishedAt: Instant | null;
  readonly host: string;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly peakMemory?: number;
  readonly progress?: number;
  readonly message?: string;
  readonly output?: readonly OutputLine[];
}

/** A run that is written out, in place of what chance would make of its window. */
export interface ScriptedRun {
  readonly start: Instant;
  readonly state: TaskState;
  readonly reason?: string;
  readonly attempts: readonly ToldAttempt[];
}

interface Owner {
  readonly id: number;
  readonly companyId: number;
  readonly appId: number;
}

interface PlannedRun extends ScriptedRun {
  readonly end: Instant;
  readonly deadline: Instant;
}

/** Names the workers of a host as a service does. */
export const workerOf = (host: string) => `${host}:4711:Zk3f0aQ1bC2d`;

/** Returns a number from 0 to 1 that only the texts decide. */
function chance(...texts: readonly (string | number)[]): number {
  return createHash('sha256').update(texts.join(' ')).digest().readUInt32BE() / 2 ** 32;
}

/**
 * Inserts what a template has run until now as if it had been: a Task for each window, with its attempts and their output.
 * @param midnight of the present day, in the zone of the templates.
 * @param scripted the runs that chance does not decide.
 * @returns the id of the Task of each scripted run, in their order.
 */
export async function addPastRuns(
  store: Store,
  template: PastTemplate,
  owner: Owner,
  { midnight, now, scripted = [] }: { midnight: Instant; now: Instant; scripted?: readonly ScriptedRun[] },
): Promise<number[]> {
  const { every, at, within = every * minute } = template;
  const first = midnight + at * minute;
  const runs: PlannedRun[] = [];
  let next = first - Math.floor((pastDays * day) / (every * minute)) * every * minute;
  for (; next <= now; next += every * minute) {
    const run = scripted.find(({ start }) => start === next) ?? chancedRun(template, next);
    runs.push({ ...run, end: next + every * minute, deadline: next + within });
  }
  const ids = new Map<Instant, number>();
  for (const some of batches(runs, rowsAtOnce)) {
    const inserted = await store.transaction((tables) => insertRuns(tables, owner, template, some));
    for (const [index, id] of inserted.entries()) ids.set((some[index] as PlannedRun).start, id);
  }
  await store.transaction((tables) =>
    tables.of(Schedule).updateWhere([['runtemplate_id', '=', owner.id]], {
      next_at: next,
      next_window: next,
      last_scheduled_at: next - every * minute,
      successful_jobs_count: runs.length,
      duration_mean: template.usually,
      duration_deviation: Math.round(template.usually / 6),
    }),
  );
  return scripted.map(({ start }) => ids.get(start) as number);
}

/** Decides by chance how a run went. */
function chancedRun({ code, company, usually, within, every, bad = {} }: PastTemplate, start: Instant): ScriptedRun {
  const roll = chance(company, code, start) * 1000;
  const usual = Math.round(usually * (0.8 + 0.5 * chance('took', company, code, start)));
  const took = Math.min(usual, (within ?? every * minute) - minute);
  const host = chance('host', start) < 0.5 ? 'host-a' : 'host-b';
  const deadline = start + (within ?? every * minute);
  const { missed = 0, failed = 0, fulfilled_late: late = 0 } = bad;
  const attempt = {
    startedAt: start + lag,
    host,
    peakMemory: 40_000_000 + Math.round(8_000_000 * chance('m', start)),
  };
  if (roll < missed)
    return {
      start,
      state: 'missed',
      reason: `no attempt was started by the start deadline, ${new Date(deadline).toISOString()}`,
      attempts: [],
    };
  if (roll < missed + failed) {
    const reason = 'exit code 1';
    const ended = { ...attempt, finishedAt: attempt.startedAt + took, exitCode: 1, reason: 'exit code 1' };
    return { start, state: 'failed', reason, attempts: [ended] };
  }
  const isLate = roll < missed + failed + late;
  const finishedAt = isLate ? deadline + Math.round(took / 4) : attempt.startedAt + took;
  const reason = isLate ? 'succeeded after the deadline' : 'succeeded in time';
  return {
    start,
    state: isLate ? 'fulfilled_late' : 'fulfilled',
    reason,
    // What is late has waited for a worker.
    attempts: [{ ...attempt, startedAt: isLate ? finishedAt - took : attempt.startedAt, finishedAt, exitCode: 0 }],
  };
}

type Tables = Parameters<Parameters<Store['transaction']>[0]>[0];

async function insertRuns(
  tables: Tables,
  { id, companyId, appId }: Owner,
  template: PastTemplate,
  runs: readonly PlannedRun[],
): Promise<number[]> {
  const owner = { runtemplate_id: id, company_id: companyId };
  const tasks = runs.map(({ start, end, deadline, state, reason = null, attempts }) => {
    const ended = attempts.at(-1)?.finishedAt ?? (attempts.length === 0 ? deadline : null);
    const isFulfilled = state === 'fulfilled' || state === 'fulfilled_late';
    const times = { window_start: start, window_end: end, deadline, ended_at: ended };
    const fulfilled_at = isFulfilled ? ended : null;
    const stored = { created_at: start, updated_at: ended ?? start };
    const limits = { max_attempts: template.fields?.max_attempts ?? 1, attempts: attempts.length };
    return newRow(Task, { ...owner, ...times, ...stored, ...limits, fulfilled_at, state, reason });
  });
  const ids = (await tables.of(Task).insert(tasks)) as number[];
  const { executable: command, version: app_version } = apps[template.app as keyof typeof apps];
  const jobs = runs.flatMap(({ start, attempts }, run) =>
    attempts.map((attempt, index) => {
      const { startedAt, finishedAt, exitCode = null, reason = null, peakMemory = null } = attempt;
      const times = { scheduled_at: index === 0 ? start : startedAt, started_at: startedAt, finished_at: finishedAt };
      const state = finishedAt === null ? 'running' : exitCode === 0 ? 'succeeded' : 'failed';
      const trigger = index === 0 ? 'schedule' : 'retry';
      const { progress = null, message = null } = attempt;
      const of = { task_id: ids[run] as number, app_id: appId, attempt: index + 1, command, app_version };
      const result = { exit_code: exitCode, reason, peak_memory: peakMemory, progress, message };
      const stored = { created_at: start, updated_at: finishedAt ?? startedAt, worker: workerOf(attempt.host) };
      return newRow(Job, { ...owner, ...times, ...of, ...result, ...stored, state, trigger } as const);
    }),
  );
  const jobIds = (await tables.of(Job).insert(jobs)) as number[];
  const attempts = runs.flatMap((run) => run.attempts);
  for (const [index, { startedAt, output = [] }] of attempts.entries()) {
    const chunks = output.map(([seconds, text, isError = false], seq) => ({
      job_id: jobIds[index] as number,
      seq,
      stream: isError ? ('stderr' as const) : ('stdout' as const),
      at: startedAt + seconds * 1000,
      data: Buffer.from(`${text}\n`),
    }));
    if (chunks.length > 0) await tables.of(JobOutput).insert(chunks.map((chunk) => newRow(JobOutput, chunk)));
  }
  return ids;
}
