import { Job } from '../job/job.ts';
import { jobStates } from '../job/job-states.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Histogram, Steps, Where } from '../store/query.ts';
import { batches } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { Scope } from '../summary/scope.ts';
import { isTaskEnded, Task, type TaskRow, type TaskState, taskStates } from '../task/task.ts';
import { day, minute } from '../time/duration.ts';
import { nearestInstant } from '../time/instant.ts';
import type { TimeRange } from '../time/local-time.ts';
import { type ListedAttempt, type ListedTasks, type TimelineState, timelineStates } from './timeline.ts';

/** The slots in which Tasks are counted by the starts of their windows. The last one may reach beyond `to`, which is exclusive. */
export interface TaskSlots extends TimeRange {
  readonly length: Milliseconds;
  readonly count: number;
}

/** Counts the Tasks of templates by slot, whatever their states: from the index by template alone. */
export async function countTasks(
  tables: Tables,
  templateIds: readonly number[],
  slots: TaskSlots,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = await tables.of(Task).histogram(['runtemplate_id'], stepsOf(slots), inSlots(templateIds, slots));
  return new Map(found.map(({ values: [id], counts }) => [id, counts]));
}

/** The counts of Tasks by slot of a template, in each state but `fulfilled` that it has. */
export type StateCounts = ReadonlyMap<TimelineState, readonly number[]>;

/**
 * Counts the Tasks of templates by slot and state, but for fulfilled ones. Few Tasks are in other states, so that these are
 * read from the index by state; where there are as many since then, of all templates in the scope, the Tasks of these
 * templates are read instead.
 * @param taskCount how many Tasks the templates have in the slots.
 */
export async function countByState(
  tables: Tables,
  {
    templateIds,
    taskCount,
    scope,
  }: { readonly templateIds: readonly number[]; readonly taskCount: number; readonly scope: Scope },
  slots: TaskSlots,
): Promise<ReadonlyMap<number, StateCounts>> {
  const counts = new Map<number, Map<TimelineState, readonly number[]>>(templateIds.map((id) => [id, new Map()]));
  if (templateIds.length === 0) return counts;
  const add = (found: readonly Histogram<TaskRow, readonly ['runtemplate_id', 'state']>[]) => {
    for (const each of found) {
      const [id, state] = each.values;
      if (state !== 'fulfilled') counts.get(id)?.set(state, each.counts);
    }
  };
  const by = ['runtemplate_id', 'state'] as const;
  const wheres = stateSince(timelineStates, slots.from, await tables.now(), scope);
  let others = 0;
  for (const where of wheres) {
    await yieldToEventLoop();
    others += await tables.of(Task).count(where, taskCount);
  }
  if (others < taskCount) {
    for (const where of wheres) {
      await yieldToEventLoop();
      add(await tables.of(Task).histogram(by, stepsOf(slots), where));
    }
    return counts;
  }
  for (const ids of batches(templateIds, batchOf(slots))) {
    await yieldToEventLoop();
    add(await tables.of(Task).histogram(by, stepsOf(slots), inSlots(ids, slots)));
  }
  return counts;
}

/** How many Tasks one statement counts, where the windows of templates are minutes: others wait for the thread meanwhile. */
const maxCountedAtOnce = 1_500_000;
/** How many templates one statement counts the Tasks of at most. */
const maxBatch = 50;

/** Returns of how many templates one statement counts the Tasks. */
export function batchOf({ from, to }: TimeRange): number {
  return Math.min(maxBatch, Math.max(1, Math.floor((maxCountedAtOnce * minute) / (to - from))));
}

/** Finds the templates that have a Task in one of the states whose window starts in a range. @param to exclusive. */
export async function templatesWithTasksIn(
  tables: Tables,
  states: readonly TimelineState[],
  { from, to }: TimeRange,
  scope: Scope,
): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  const range = { of: 'window_start', from, length: to - from, count: 1 } as const;
  for (const where of stateSince(states, from, await tables.now(), scope)) {
    await yieldToEventLoop();
    const groups = await tables.of(Task).histogram(['runtemplate_id'], range, where);
    for (const { values } of groups) ids.add(values[0]);
  }
  return ids;
}

function stepsOf({ from, length, count }: TaskSlots): Steps<TaskRow> {
  return { of: 'window_start', from, length, count };
}

/** The condition for the Tasks of templates whose windows start in the slots. */
function inSlots(templateIds: readonly number[], { from, to }: TimeRange): Where<TaskRow> {
  return [
    ['runtemplate_id', 'in', templateIds],
    ['window_start', '>=', from],
    ['window_start', '<', to],
  ];
}

/**
 * Returns the conditions for Tasks in some states whose windows start at or after an instant: one for those that have ended and
 * one for the others, as indexes have them. A Task ends after its window has begun, and a clock that was set back meanwhile
 * was so by less than a day. The second bound is for planners that take one alone for a third of the table. Tasks that have not
 * ended are few, and of all companies, because planners would read those of a company by its index.
 */
function stateSince(states: readonly TimelineState[], from: Instant, now: Instant, scope: Scope): Where<TaskRow>[] {
  const ended = states.filter(isTaskEnded);
  const live = states.filter((state) => !isTaskEnded(state));
  const ofEnded: Where<TaskRow> = [
    ['state', 'in', ended],
    ['ended_at', '>=', nearestInstant(from - day)],
    ['ended_at', '<=', nearestInstant(now + 366 * day)],
    ...scope,
  ];
  return [...(live.length > 0 ? [[['state', 'in', live]] as const] : []), ...(ended.length > 0 ? [ofEnded] : [])];
}

const columns = ['id', 'runtemplate_id', 'window_start', 'window_end', 'deadline', 'state', 'attempts'] as const;
type TimelineTask = Pick<TaskRow, (typeof columns)[number]>;

/** How many attempts are listed in all. */
const maxAttempts = 20_000;
/** How many Tasks are read at once. */
const batch = 1000;

/**
 * Lists Tasks of templates one by one, with their attempts: those whose windows start in a range, and those in whose windows
 * the range begins.
 * @param starts when the windows start in which the range begins, by template. @param to exclusive.
 */
export async function listTasks(
  tables: Tables,
  templateIds: readonly number[],
  starts: ReadonlyMap<number, Instant>,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Promise<ReadonlyMap<number, ListedTasks>> {
  if (templateIds.length === 0) return new Map();
  const ofTemplates = ['runtemplate_id', 'in', templateIds] as const;
  const inRange = await tables.of(Task).find({
    where: [ofTemplates, ['window_start', '>=', from], ['window_start', '<', to]],
    order: [
      ['runtemplate_id', 'asc'],
      ['window_start', 'asc'],
    ],
    columns,
  });
  const started = starts.size === 0 ? [] : await readStarted(tables, starts);
  const tasks = [...started, ...inRange];
  const attempts = await readAttempts(tables, tasks, from);
  const lists = Map.groupBy(tasks, ({ runtemplate_id }) => runtemplate_id);
  return new Map([...lists].map(([id, of]) => [id, listOf(of, attempts, from)]));
}

/** Reads the Tasks of windows that start at certain times, by template. */
async function readStarted(tables: Tables, starts: ReadonlyMap<number, Instant>): Promise<TimelineTask[]> {
  const where: Where<TaskRow> = [
    ['runtemplate_id', 'in', [...starts.keys()]],
    ['window_start', 'in', [...new Set(starts.values())]],
  ];
  const found = await tables.of(Task).find({ where, columns });
  return found.filter(({ runtemplate_id, window_start }) => starts.get(runtemplate_id) === window_start);
}

function listOf(
  tasks: readonly TimelineTask[],
  attempts: ReadonlyMap<number | null, readonly ListedAttempt[]>,
  origin: Instant,
): ListedTasks {
  return {
    id: tasks.map(({ id }) => id),
    start: tasks.map(({ window_start }) => window_start - origin),
    end: tasks.map(({ window_end }) => window_end - origin),
    deadline: tasks.map(({ deadline }) => deadline - origin),
    state: tasks.map(({ state }) => taskStates.indexOf(state satisfies TaskState)),
    attempts: tasks.map(({ id }) => attempts.get(id) ?? []),
  };
}

/** Reads the attempts that have started, by Task: those at the first Tasks, while there are no more than `maxAttempts`. */
async function readAttempts(
  tables: Tables,
  tasks: readonly TimelineTask[],
  origin: Instant,
): Promise<ReadonlyMap<number | null, readonly ListedAttempt[]>> {
  const ids: number[] = [];
  let left = maxAttempts;
  for (const { id, attempts } of tasks) {
    if (attempts === 0 || attempts > left) continue;
    ids.push(id);
    left -= attempts;
  }
  const found = new Map<number | null, ListedAttempt[]>();
  for (const part of batches(ids, batch)) {
    await yieldToEventLoop();
    const jobs = await tables.of(Job).find({
      where: [
        ['task_id', 'in', part],
        ['started_at', '!=', null],
      ],
      columns: ['id', 'task_id', 'state', 'started_at', 'finished_at'],
    });
    for (const { id, task_id, state, started_at, finished_at } of jobs) {
      const list = found.get(task_id) ?? [];
      found.set(task_id, list);
      const end = finished_at === null ? null : finished_at - origin;
      list.push([id, (started_at ?? origin) - origin, end, jobStates.indexOf(state)]);
    }
  }
  return found;
}
