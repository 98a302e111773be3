import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { batches } from '../store/rows.ts';
import { isTaskEnded, Task } from '../task/task.ts';
import { cutoffOf, type KeepPolicy, type Read } from './keep-policy.ts';
import { countRuns, type RunCounts, type RunLimits, runLimitsOfTemplates } from './row-limits.ts';

/** Rows of one kind that are to be deleted, oldest first. */
export interface Expired<K extends string = string> {
  readonly kind: K;
  readonly ids: readonly number[];
}

interface RunRules {
  readonly id: number;
  /** What ended before is deleted. */
  readonly cutoff: Instant;
  /** How many are kept. */
  readonly last: RunLimits;
  /** How many rows are looked at in one statement. */
  readonly pageSize: number;
}

/** About how many rows are found before they are deleted. */
const foundAtOnce = 20_000;
const kinds = ['tasks', 'jobs'] as const;
const pageSizes = { min: 10, max: 500 } as const;

/**
 * How many templates are sorted together: as many as have the rows of one window on one page of a table, and few enough
 * that the pages of an index by template stay in memory until all their rows are deleted.
 */
const sortedTemplates = 25;

/**
 * Finds the Tasks that are kept no longer, and the jobs without a Task. It takes some of each template in turn and sorts
 * those of neighbours, because rows that were inserted together lie together: a database writes far fewer pages. The last
 * successful run of a template stays, and its newest Task, so that it is known when it has last succeeded.
 */
export async function* expiredRuns(
  read: Read,
  policy: KeepPolicy,
  now: Instant,
): AsyncGenerator<Expired<'tasks' | 'jobs'>> {
  const limits = await runLimitsOfTemplates(read, policy);
  const even = Math.ceil(foundAtOnce / policy.templates.size);
  const pageSize = Math.min(pageSizes.max, Math.max(pageSizes.min, even));
  const all = [...policy.templates.values()]
    .map((template): RunRules => {
      const { id, rules } = template;
      const limit = limits.get(id) ?? { tasks: Infinity, jobs: Infinity };
      const last = { tasks: Math.min(rules.last, limit.tasks), jobs: Math.min(rules.last, limit.jobs) };
      return { id, cutoff: cutoffOf(rules.days, now), last, pageSize };
    })
    .filter(({ cutoff, last }) => cutoff > -Infinity || last.tasks < Infinity || last.jobs < Infinity);
  let searches = all.map((rules) => expiredOfTemplate(read, rules));
  while (searches.length > 0) {
    const found = { tasks: [] as number[], jobs: [] as number[] };
    const unfinished: typeof searches = [];
    for (const neighbours of batches(searches, sortedTemplates)) {
      const ofNeighbours = { tasks: [] as number[], jobs: [] as number[] };
      for (const search of neighbours) {
        await yieldToEventLoop();
        const { value, done } = await search.next();
        if (done) continue;
        unfinished.push(search);
        ofNeighbours[value.kind].push(...value.ids);
      }
      for (const kind of kinds) found[kind].push(...ofNeighbours[kind].sort((one, other) => one - other));
      // A step of the search stays short.
      yield { kind: 'tasks', ids: [] };
    }
    for (const kind of kinds) if (found[kind].length > 0) yield { kind, ids: found[kind] };
    searches = unfinished;
  }
}

/** Finds what is kept no longer of one template, page by page. */
async function* expiredOfTemplate(read: Read, rules: RunRules): AsyncGenerator<Expired<'tasks' | 'jobs'>, undefined> {
  // It matters only whether there are any, and whether there are more jobs than are kept.
  const { tasks, jobs } = await countRuns(read, rules.id, rules.last.jobs < Infinity ? rules.last.jobs + 1 : 1);
  if (tasks + jobs.size === 0) return undefined;
  const success = await lastSuccess(read, rules.id);
  if (tasks > 0)
    for await (const ids of expiredTasks(read, rules, success?.task_id ?? null)) yield { kind: 'tasks', ids };
  if (jobs.size > 0)
    for await (const ids of expiredJobs(read, rules, jobs, success?.id ?? null)) yield { kind: 'jobs', ids };
  return undefined;
}

async function lastSuccess(read: Read, id: number): Promise<Pick<JobRow, 'id' | 'task_id'> | undefined> {
  const [job] = await read((tables) =>
    tables.of(Job).find({
      where: [
        ['runtemplate_id', '=', id],
        ['state', '=', 'succeeded'],
        // So that an index has them in the order of their ids.
        ['queue_at', '=', null],
      ],
      order: [['id', 'desc']],
      limit: 1,
      columns: ['id', 'task_id'],
    }),
  );
  return job;
}

/** Goes through the Tasks in the order of their windows, up to those that are too young and not too many. */
async function* expiredTasks(
  read: Read,
  { id, cutoff, last, pageSize }: RunRules,
  succeeded: number | null,
): AsyncGenerator<number[]> {
  const newest = await windowFromEnd(read, id, 0);
  // Those up to this window are beyond the number that is kept, whatever others delete meanwhile.
  const excess = last.tasks < Infinity ? await windowFromEnd(read, id, last.tasks) : -Infinity;
  const end = Math.min(newest, Math.max(cutoff, excess + 1));
  if (end === -Infinity) return;
  for (let after: Instant | null = null; ; ) {
    await yieldToEventLoop();
    const page = await read((tables) =>
      tables.of(Task).find({
        where: [
          ['runtemplate_id', '=', id],
          ['window_start', '<', end],
          ...(after === null ? [] : [['window_start', '>', after] as const]),
        ],
        order: [['window_start', 'asc']],
        limit: pageSize,
        columns: ['id', 'window_start', 'deadline', 'state', 'ended_at'],
      }),
    );
    const expired = page.filter(
      ({ id, state, window_start, ended_at, deadline }) =>
        isTaskEnded(state) && (window_start <= excess || (ended_at ?? deadline) < cutoff) && id !== succeeded,
    );
    if (expired.length > 0) yield expired.map((task) => task.id);
    if (page.length < pageSize) return;
    after = page.at(-1)?.window_start ?? after;
  }
}

/** Returns the window of the n-th Task of a template, counted from the newest, from 0; -Infinity where it has fewer. */
async function windowFromEnd(read: Read, id: number, n: number): Promise<Instant> {
  const [task] = await read((tables) =>
    tables.of(Task).find({
      where: [['runtemplate_id', '=', id]],
      order: [['window_start', 'desc']],
      offset: n,
      limit: 1,
      columns: ['window_start'],
    }),
  );
  return task?.window_start ?? -Infinity;
}

/** After how many pages of young jobs no older one is expected: a long one ends after those that began later. */
const youngPages = 2;

type EndedJob = Pick<JobRow, 'id' | 'task_id' | 'finished_at' | 'scheduled_at'>;

/**
 * Goes through the ended jobs in the order of their ids, and passes over those of Tasks, which are deleted with these. By
 * their age it does so up to some jobs in a row that are young; to count them, to the end.
 */
async function* expiredJobs(
  read: Read,
  rules: RunRules,
  counts: RunCounts['jobs'],
  succeeded: number | null,
): AsyncGenerator<number[]> {
  const last = rules.last.jobs;
  const isCounted = [...counts.values()].reduce((sum, count) => sum + count, 0) > last;
  let expired: number[] = [];
  /** Those that are young, oldest first: the first are deleted where they are too many. */
  const young: number[] = [];
  let youngInRow = 0;
  for await (const job of endedJobs(read, rules, [...counts.keys()])) {
    const isYoung = (job.finished_at ?? job.scheduled_at) >= rules.cutoff;
    youngInRow = isYoung ? youngInRow + 1 : 0;
    if (job.task_id === null && job.id !== succeeded) (isYoung ? young : expired).push(job.id);
    if (expired.length === rules.pageSize) {
      yield expired;
      expired = [];
    }
    if (!isCounted && youngInRow === youngPages * rules.pageSize) break;
  }
  if (isCounted) expired.push(...young.slice(0, Math.max(0, young.length - last)));
  for (const ids of batches(expired, foundAtOnce)) {
    await yieldToEventLoop();
    yield ids;
  }
}

/** Reads the ended jobs of a template in the order of their ids: those of each state are in this order in an index. */
async function* endedJobs(read: Read, rules: RunRules, states: readonly string[]): AsyncGenerator<EndedJob> {
  const streams = await Promise.all(
    states.map(async (state) => {
      const jobs = jobsInState(read, rules, state as JobRow['state']);
      return { jobs, next: await jobs.next() };
    }),
  );
  for (;;) {
    await yieldToEventLoop();
    const [first] = streams
      .filter(({ next }) => !next.done)
      .sort((one, other) => (one.next.value as EndedJob).id - (other.next.value as EndedJob).id);
    if (!first) return;
    yield first.next.value as EndedJob;
    first.next = await first.jobs.next();
  }
}

async function* jobsInState(
  read: Read,
  { id, pageSize }: RunRules,
  state: JobRow['state'],
): AsyncGenerator<EndedJob, undefined> {
  for (let after = 0; ; ) {
    await yieldToEventLoop();
    const page: EndedJob[] = await read((tables) =>
      tables.of(Job).find({
        where: [
          ['runtemplate_id', '=', id],
          ['state', '=', state],
          ['queue_at', '=', null],
          ['id', '>', after],
        ],
        order: [['id', 'asc']],
        limit: pageSize,
        columns: ['id', 'task_id', 'finished_at', 'scheduled_at'],
      }),
    );
    yield* page;
    if (page.length < pageSize) return undefined;
    after = page.at(-1)?.id ?? after;
  }
}
