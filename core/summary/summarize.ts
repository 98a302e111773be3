import { badRequest } from '../errors.ts';
import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { Actor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { mostOverdueWindow, unscheduledReason, usualLag } from '../scheduler/overdue-window.ts';
import type { Tables } from '../store/store.ts';
import { requireInstant } from '../time/instant.ts';
import { formatShortLocalTime, localDaysIn, startOfDay, type TimeRange } from '../time/local-time.ts';
import { requireZone } from '../time/zone.ts';
import { findNextRuns, type NextRun } from './next-run.ts';
import { countOverdue, overdueProblems, readOutcomes } from './outcomes.ts';
import { type NamedPause, readPausesInForce } from './pauses.ts';
import { ofService, type ProblemKind, problemKinds, type SummaryProblem, withNames } from './problem.ts';
import { withRecoveries } from './recovery.ts';
import { findTasksAtRisk } from './risks.ts';
import { type Scope, scopeOf } from './scope.ts';
import { sentenceOf } from './sentence.ts';
import type { Summary, SummaryRequest } from './summary.ts';
import { countSwitchedOff } from './switched-off.ts';
import { findUnplanned } from './unplanned.ts';
import { findUnserved } from './unserved.ts';

export interface SummaryContext {
  readonly timezone: string;
  /** The names of the executors whose jobs are claimed by programs elsewhere. */
  readonly external: ReadonlySet<string>;
  readonly calendarRules: CalendarRuleSchemas;
}

/** How many Tasks are read for their reasons: the newest that ended, and as many overdue ones. */
const maxRead = 200;
/** How many templates without a worker are listed, for each executor, and how many that cannot be planned. */
const maxUnserved = 20;
const maxPauses = 20;

/**
 * Tells whether everything is on time: how the Tasks have ended that ended in a range, what is overdue or will be late,
 * and what runs next. It reads by indexes, day by day, so that its cost grows with the range and not with the history.
 * @throws HorariumError `bad_request` for a range that is none or has too many days, or a zone that is none, `not_found` for a company that the actor may not see.
 */
export async function summarize(
  tables: Tables,
  actor: Actor,
  request: SummaryRequest,
  context: SummaryContext,
): Promise<Summary> {
  const { timezone = context.timezone } = request;
  requireZone(timezone);
  const now = await tables.now();
  const range = readRange(request, timezone, now);
  const scope = await scopeOf(tables, actor, request.company_id ?? null);
  const { outcomes, problems, lastUnmet } = await readOutcomes(
    tables,
    scope,
    localDaysIn(range, context.timezone),
    maxRead,
  );
  const isLive = range.to >= now;
  const live = isLive ? await readLive(tables, scope, { ...context, timezone, now }) : notLive;
  const ended = isLive ? await withRecoveries(tables, problems, withLater(lastUnmet, live.lastOverdue)) : problems;
  const owed = outcomes.on_time + outcomes.late + outcomes.failed + outcomes.missed + live.overdue;
  const found = [...ended, ...live.problems].sort(
    (one, other) => problemKinds.indexOf(one.kind) - problemKinds.indexOf(other.kind),
  );
  const [next] = live.next ? await withNames(tables, [nextRun(live.next)]) : [];
  const isToday = request.from === undefined && isLive;
  const figures = {
    time: now,
    timezone,
    ...range,
    owed,
    ...outcomes,
    overdue: live.overdue,
    on_time_rate: owed === 0 ? null : outcomes.on_time / owed,
    will_be_late: total(found, ['will_be_late']),
    will_not_run: total(found, ['will_not_run']),
    switched_off: live.switchedOff,
    paused: live.paused,
    pauses: live.pauses,
    running: live.running,
    waiting: live.waiting,
    next: next ?? null,
  };
  const further = owed - outcomes.on_time - total(found, ['late', 'failed', 'missed', 'overdue']);
  return {
    sentence: sentenceOf(figures, isToday),
    ok: found.length === 0 && further === 0,
    ...figures,
    problems: await withNames(tables, found),
    further,
  };
}

/** What is true now, and is left out of a range that has ended. */
interface Live {
  readonly switchedOff: number;
  readonly paused: number;
  readonly pauses: readonly NamedPause[];
  readonly overdue: number;
  readonly running: number;
  readonly waiting: number;
  readonly next: NextRun | null;
  readonly problems: readonly SummaryProblem[];
  /** When the last window of each template began that is overdue. */
  readonly lastOverdue: ReadonlyMap<number, Instant>;
}

const notLive: Live = {
  switchedOff: 0,
  paused: 0,
  pauses: [],
  overdue: 0,
  running: 0,
  waiting: 0,
  next: null,
  problems: [],
  lastOverdue: new Map(),
};

async function readLive(
  tables: Tables,
  scope: Scope,
  { now, timezone, external, calendarRules }: SummaryContext & { readonly now: Instant },
): Promise<Live> {
  const overdue = await countOverdue(tables, scope, now);
  const [switchedOff, pauses, running, waiting, [next = null], unscheduled] = await Promise.all([
    countSwitchedOff(tables, scope),
    readPausesInForce(tables, scope, { now, limit: maxPauses }),
    tables.of(Job).count([['state', '=', 'running'], ...scope]),
    tables.of(Job).count([['queue_at', '<=', now], ...scope]),
    findNextRuns(tables, scope, { now, calendarRules }),
    mostOverdueWindow(tables, scope),
  ]);
  const late = overdue > 0 ? await overdueProblems(tables, scope, now, maxRead) : null;
  const problems = [
    ...(unscheduled !== null && now - unscheduled > usualLag ? [notScheduled(unscheduled, timezone, now)] : []),
    ...(await findUnplanned(tables, scope, { now, limit: maxUnserved })),
    ...(await findUnserved(tables, scope, { external, limit: maxUnserved })),
    ...(late?.problems ?? []),
    ...(await findTasksAtRisk(tables, scope, { now, timezone })),
  ];
  const lastOverdue = late?.lastUnmet ?? new Map();
  return { switchedOff, ...pauses, overdue, running, waiting, next, problems, lastOverdue };
}

/** Returns the later one of two windows of each template. */
function withLater(
  windows: ReadonlyMap<number, Instant>,
  others: ReadonlyMap<number, Instant>,
): ReadonlyMap<number, Instant> {
  const later = new Map(others);
  for (const [template, start] of windows) later.set(template, Math.max(start, later.get(template) ?? start));
  return later;
}

function nextRun({ at, runtemplate_id, company_id }: NextRun): NextRun {
  return { at, runtemplate_id, company_id };
}

function notScheduled(since: Instant, timezone: string, now: Instant): SummaryProblem {
  const reason = unscheduledReason(formatShortLocalTime(since, timezone, now));
  return { kind: 'not_scheduled', ...ofService, since, reason };
}

function readRange({ from, to }: SummaryRequest, timezone: string, now: Instant): TimeRange {
  if (from !== undefined) requireInstant('from', from);
  if (to !== undefined) requireInstant('to', to);
  const range = { from: from ?? startOfDay(to ?? now, timezone), to: to ?? now };
  if (range.from > range.to) throw badRequest('from must not be after to.');
  return range;
}

function total(problems: readonly SummaryProblem[], kinds: readonly ProblemKind[]): number {
  return problems.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0);
}
