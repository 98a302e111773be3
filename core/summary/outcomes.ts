import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow, type TaskState } from '../task/task.ts';
import { countedStates, TaskTotal, type TotalRow } from '../task/task-total.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { ProblemKind, SummaryProblem } from './problem.ts';
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
} as const satisfies { readonly [S in TaskState]?: keyof Outcomes };
type EndState = keyof typeof outcomeOf;

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
 * Counts the Tasks that ended on these days, from an index and the totals of those that are no longer kept, and reads the newest that were not fulfilled in time: one
 * problem for each template and state. It does so day by day, so that other requests have their turn.
 * @param days the newest first.
 * @param limit how many Tasks are read for the problems.
 */
export async function readOutcomes(
  tables: Tables,
  scope: Scope,
  days: readonly TimeRange[],
  limit: number,
): Promise<{ readonly outcomes: Outcomes; readonly problems: SummaryProblem[] }> {
  const outcomes = { on_time: 0, late: 0, failed: 0, missed: 0, cancelled: 0 };
  const unmet: EndedTask[] = [];
  for (const day of days) {
    await yieldToEventLoop();
    const groups = await tables.of(Task).countBy(['state'], [...endedIn(day), ...scope]);
    for (const { values, count } of groups) outcomes[outcomeOf[values[0] as EndState]] += count;
    const totals = await readTotals(tables, scope, day);
    for (const [index, state] of countedStates.entries()) outcomes[outcomeOf[state]] += totals[index] ?? 0;
    const hasUnmet = groups.some(({ values: [state] }) => state !== 'fulfilled' && state !== 'cancelled');
    if (hasUnmet && unmet.length < limit) unmet.push(...(await readUnmet(tables, scope, day, limit - unmet.length)));
  }
  const problems = unmet.map((task) => {
    const kind = outcomeOf[task.state as EndState] as ProblemKind;
    return problemOf(task, kind, task.ended_at, task.reason ?? '');
  });
  return { outcomes, problems: oneForEachTemplate(problems) };
}

/** Reads how many Tasks ended on a day, of those that are no longer kept: all of the day if its beginning is in the range. */
async function readTotals(tables: Tables, scope: Scope, { from, to }: TimeRange): Promise<readonly number[]> {
  const ofDay: Where<TotalRow> = [
    ['end_day', '>=', from],
    ['end_day', '<=', to],
  ];
  const [total] = await tables.of(TaskTotal).sumBy([], countedStates, [...ofDay, ...scope]);
  return total?.sums ?? [];
}

/** Reads the newest Tasks that ended in a range and were neither fulfilled in time nor cancelled. */
function readUnmet(tables: Tables, scope: Scope, range: TimeRange, limit: number): Promise<EndedTask[]> {
  return tables.of(Task).find({
    // An index passes over those on time, newest first; a list of the other states would be searched by.
    where: [...endedIn(range), ['state', '!=', 'fulfilled'], ['state', '!=', 'cancelled'], ...scope],
    order: [['ended_at', 'desc']],
    limit,
    columns,
  });
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
): Promise<SummaryProblem[]> {
  const where = [...overdue(now), ...scope];
  const tasks = await tables.of(Task).find({ where, order: [['deadline', 'desc']], limit, columns: overdueColumns });
  const reasonOf = ({ state }: Pick<TaskRow, 'state'>) => overdueReasons[state as keyof typeof overdueReasons];
  return oneForEachTemplate(tasks.map((task) => problemOf(task, 'overdue', task.deadline, reasonOf(task))));
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
  return { kind, ...about, count: 1, since, reason };
}

/** Makes one problem of those of a template that have the same kind: the first, with the count of all. */
function oneForEachTemplate(problems: readonly SummaryProblem[]): SummaryProblem[] {
  const groups = Map.groupBy(problems, ({ kind, runtemplate_id }) => `${kind} ${runtemplate_id}`);
  return [...groups.values()].map((group) => ({ ...(group[0] as SummaryProblem), count: group.length }));
}

/** The condition for Tasks that were owed and ended in a range. */
function endedIn({ from, to }: TimeRange): Where<TaskRow> {
  return [
    ['backfilled', '=', false],
    ['ended_at', '>=', from],
    ['ended_at', '<=', to],
  ];
}
