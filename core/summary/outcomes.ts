import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow, type TaskState } from '../task/task.ts';
import type { ProblemKind, SummaryProblem } from './problem.ts';
import type { Scope } from './scope.ts';

/** A range of time, both ends inclusive. */
export interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** How the Tasks have ended that ended in a range. */
export interface Outcomes {
  readonly on_time: number;
  readonly late: number;
  readonly failed: number;
  readonly missed: number;
  readonly cancelled: number;
}

/** Counts the Tasks that ended in a range, from an index alone. */
export async function countOutcomes(tables: Tables, scope: Scope, range: Range): Promise<Outcomes> {
  const groups = await tables.of(Task).countBy(['state'], [...endedIn(range), ...scope]);
  const of = (state: TaskState) => groups.find(({ values: [found] }) => found === state)?.count ?? 0;
  return {
    on_time: of('fulfilled'),
    late: of('fulfilled_late'),
    failed: of('failed'),
    missed: of('missed'),
    cancelled: of('cancelled'),
  };
}

const kindOf: { readonly [S in TaskState]?: ProblemKind } = {
  fulfilled_late: 'late',
  failed: 'failed',
  missed: 'missed',
};

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

/** Reads the newest Tasks that ended in a range and were not fulfilled in time, one problem for each template and state. */
export async function endedProblems(
  tables: Tables,
  scope: Scope,
  range: Range,
  limit: number,
): Promise<SummaryProblem[]> {
  const tasks = await tables.of(Task).find({
    // By the time of the end, newest first, an index passes over those on time; a list of states would be searched by.
    where: [...endedIn(range), ['state', '!=', 'fulfilled'], ['state', '!=', 'cancelled'], ...scope],
    order: [['ended_at', 'desc']],
    limit,
    columns,
  });
  return groupByTemplate(
    tasks,
    ({ state }) => kindOf[state] ?? 'failed',
    (task) => task.reason ?? '',
  );
}

const overdueColumns = ['id', 'runtemplate_id', 'company_id', 'window_start', 'deadline', 'state'] as const;

/** The condition for Tasks that have not ended although their deadline has passed: they may be fulfilled late. */
const overdue = (now: Instant): Where<TaskRow> => [
  ['state', 'in', ['open', 'running']],
  ['deadline', '<', now],
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
  const ended = tasks.map((task) => ({ ...task, ended_at: task.deadline }));
  return groupByTemplate(
    ended,
    () => 'overdue',
    ({ state }) => overdueReasons[state as keyof typeof overdueReasons],
  );
}

const overdueReasons = {
  open: 'no attempt has succeeded; the next one has not started',
  running: 'an attempt is running',
} as const;

/** Makes one problem of the Tasks of a template that have the same kind; the first one tells its reason. */
function groupByTemplate<
  T extends Pick<EndedTask, 'id' | 'runtemplate_id' | 'company_id' | 'window_start' | 'deadline' | 'ended_at'>,
>(tasks: readonly T[], kind: (task: T) => ProblemKind, reason: (task: T) => string): SummaryProblem[] {
  const groups = Map.groupBy(tasks, (task) => `${kind(task)} ${task.runtemplate_id}`);
  return [...groups.values()].map((group) => {
    const [newest] = group as [T, ...T[]];
    const { id: task_id, runtemplate_id, company_id, window_start, deadline, ended_at: since } = newest;
    return {
      kind: kind(newest),
      runtemplate_id,
      company_id,
      count: group.length,
      task_id,
      job_id: null,
      window_start,
      deadline,
      since,
      reason: reason(newest),
    };
  });
}

function endedIn({ from, to }: Range): Where<TaskRow> {
  return [
    ['ended_at', '>=', from],
    ['ended_at', '<=', to],
  ];
}
