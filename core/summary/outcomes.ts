import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskEndState, type TaskRow, taskEndStates } from '../task/task.ts';
import { TaskTotal, type TotalRow } from '../task/task-total.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { ProblemKind, SummaryProblem } from './problem.ts';
import { notRecovered } from './recovery.ts';
import type { Scope } from './scope.ts';

/** How the Tasks have ended that were owed and ended in a range. */
export interface Outcomes {
  readonly on_time: number;
  readonly late: number;
  readonly failed: number;
  readonly missed: number;
  readonly cancelled: number;
}

const outcomeOf = {
  fulfilled: 'on_time',
  fulfilled_late: 'late',
  failed: 'failed',
  missed: 'missed',
  cancelled: 'cancelled',
} as const satisfies Readonly<Record<TaskEndState, keyof Outcomes>>;
const statesNotFulfilled = taskEndStates.filter((state) => state !== 'fulfilled');
/** The states of a Task that is a problem. */
const unmetStates = ['fulfilled_late', 'failed', 'missed'] as const satisfies readonly TaskEndState[];

const columns = [
  'id',
  'runtemplate_id',
  'company_id',
  'window_start',
  'deadline',
  'state',
  'reason',
  'ended_at',
] as const;
type EndedTask = Pick<TaskRow, (typeof columns)[number]>;
type TaskOfProblem = Pick<TaskRow, 'id' | 'runtemplate_id' | 'company_id' | 'window_start' | 'deadline'>;

/**
 * Counts the Tasks that ended on these days, from an index and the totals of those that are no longer kept, and reads the
 * newest that were not fulfilled in time: one problem for each template and state. It does so day by day, so that other
 * requests have their turn.
 * @param days the newest first.
 * @param limit how many Tasks are read for the problems.
 */
export async function readOutcomes(
  tables: Tables,
  scope: Scope,
  days: readonly TimeRange[],
  limit: number,
): Promise<UnmetProblems & { readonly outcomes: Outcomes }> {
  const outcomes = { on_time: 0, late: 0, failed: 0, missed: 0, cancelled: 0 };
  const unmet: EndedTask[] = [];
  for (const day of days) {
    await yieldToEventLoop();
    const counts = await countByState(tables, scope, day);
    const totals = await readTotals(tables, scope, day);
    for (const [index, state] of taskEndStates.entries())
      outcomes[outcomeOf[state]] += (counts.get(state) ?? 0) + (totals[index] ?? 0);
    const states = unmetStates.filter((state) => counts.has(state));
    if (unmet.length < limit) unmet.push(...(await readUnmet(tables, scope, day, states, limit - unmet.length)));
  }
  const problems = unmet.map((task) => {
    const kind = outcomeOf[task.state as (typeof unmetStates)[number]] satisfies ProblemKind;
    return problemOf(task, kind, task.ended_at, task.reason ?? '');
  });
  return {
    outcomes,
    problems: oneForEachTemplate(problems),
    lastUnmet: lastWindows(unmet.filter(({ state }) => state !== 'fulfilled_late')),
  };
}

/** Problems of Tasks, and when the last window of each of their templates began that was not fulfilled. */
export interface UnmetProblems {
  readonly problems: readonly SummaryProblem[];
  readonly lastUnmet: ReadonlyMap<number, Instant>;
}

function lastWindows(tasks: readonly Pick<TaskRow, 'runtemplate_id' | 'window_start'>[]): Map<number, Instant> {
  const last = new Map<number, Instant>();
  for (const { runtemplate_id, window_start } of tasks)
    last.set(runtemplate_id, Math.max(window_start, last.get(runtemplate_id) ?? window_start));
  return last;
}

/**
 * Counts the Tasks that ended in a range by their state. Nearly all were fulfilled in time: these are counted by themselves,
 * because counting entries of an index takes less time than grouping them.
 */
async function countByState(
  tables: Tables,
  scope: Scope,
  range: TimeRange,
): Promise<ReadonlyMap<TaskRow['state'], number>> {
  const [fulfilled, others] = await Promise.all([
    tables.of(Task).count([...endedIn(range, ['fulfilled']), ...scope]),
    tables.of(Task).countBy(['state'], [...endedIn(range, statesNotFulfilled), ...scope]),
  ]);
  return new Map([['fulfilled', fulfilled], ...others.map(({ values: [state], count }) => [state, count] as const)]);
}

/** Reads how many Tasks ended on a day, of those that are no longer kept: all of the day if its beginning is in the range. */
async function readTotals(tables: Tables, scope: Scope, { from, to }: TimeRange): Promise<readonly number[]> {
  const ofDay: Where<TotalRow> = [
    ['end_day', '>=', from],
    ['end_day', '<=', to],
  ];
  const [total] = await tables.of(TaskTotal).sumBy([], taskEndStates, [...ofDay, ...scope]);
  return total?.sums ?? [];
}

/** Reads the newest Tasks that ended in a range in these states: those of each from the index, which has them in order. */
async function readUnmet(
  tables: Tables,
  scope: Scope,
  range: TimeRange,
  states: readonly TaskEndState[],
  limit: number,
): Promise<EndedTask[]> {
  const newest = await Promise.all(
    states.map((state) =>
      tables.of(Task).find({
        where: [...endedIn(range, [state]), ...scope],
        order: [['ended_at', 'desc']],
        limit,
        columns,
      }),
    ),
  );
  return newest
    .flat()
    .sort((one, other) => (other.ended_at ?? 0) - (one.ended_at ?? 0) || one.id - other.id)
    .slice(0, limit);
}

const overdueColumns = ['id', 'runtemplate_id', 'company_id', 'window_start', 'deadline', 'state'] as const;

/** The condition for Tasks that have not ended although their deadline has passed: they may be fulfilled late. */
const overdue = (now: Instant): Where<TaskRow> => [
  ['state', 'in', ['open', 'running']],
  ['deadline', '<', now],
  ['backfilled', '=', false],
];

export function countOverdue(tables: Tables, scope: Scope, now: Instant): Promise<number> {
  return tables.of(Task).count([...overdue(now), ...scope]);
}

/** Reads the Tasks whose deadline has passed most recently, one problem for each template. */
export async function overdueProblems(
  tables: Tables,
  scope: Scope,
  now: Instant,
  limit: number,
): Promise<UnmetProblems> {
  const where = [...overdue(now), ...scope];
  const tasks = await tables.of(Task).find({ where, order: [['deadline', 'desc']], limit, columns: overdueColumns });
  const reasonOf = ({ state }: Pick<TaskRow, 'state'>) => overdueReasons[state as keyof typeof overdueReasons];
  const problems = tasks.map((task) => problemOf(task, 'overdue', task.deadline, reasonOf(task)));
  return { problems: oneForEachTemplate(problems), lastUnmet: lastWindows(tasks) };
}

const overdueReasons = {
  open: 'no attempt has succeeded; the next one has not started',
  running: 'an attempt is running',
} as const;

/** Makes a problem of a Task. @param since since when it is one. */
function problemOf(
  { id: task_id, runtemplate_id, company_id, window_start, deadline }: TaskOfProblem,
  kind: ProblemKind,
  since: Instant | null,
  reason: string,
): SummaryProblem {
  const about = { runtemplate_id, company_id, task_id, job_id: null, window_start, deadline };
  return { kind, ...about, count: 1, since, reason, ...notRecovered };
}

/** Makes one problem of those of a template that have the same kind: the first, with the count of all. */
function oneForEachTemplate(problems: readonly SummaryProblem[]): SummaryProblem[] {
  const groups = Map.groupBy(problems, ({ kind, runtemplate_id }) => `${kind} ${runtemplate_id}`);
  return [...groups.values()].map((group) => ({ ...(group[0] as SummaryProblem), count: group.length }));
}

/** The condition for Tasks that were owed and ended in a range, in these states. Indexes have them by state. */
function endedIn({ from, to }: TimeRange, states: readonly TaskEndState[]): Where<TaskRow> {
  return [
    ['state', 'in', states],
    ['ended_at', '>=', from],
    ['ended_at', '<=', to],
    ['backfilled', '=', false],
  ];
}
