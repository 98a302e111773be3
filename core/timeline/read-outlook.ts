import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { Actor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { findNextRuns } from '../summary/next-run.ts';
import { withNames } from '../summary/problem.ts';
import { type Scope, scopeOf } from '../summary/scope.ts';
import { Task, type TaskEndState, type TaskRow, taskEndStates } from '../task/task.ts';
import { Schedule } from '../template/schedule.ts';
import { startOfDay } from '../time/local-time.ts';
import { requireZone } from '../time/zone.ts';
import { planGroups } from './groups-to-come.ts';
import {
  type Outlook,
  type OutlookRequest,
  type OutlookState,
  outlookSlot,
  type StartingRun,
  slotsAhead,
  slotsBehind,
} from './outlook.ts';
import type { TimelineContext } from './read-timeline.ts';

/** How many of the next runs are listed. */
const maxNext = 100;

const slots = slotsBehind + slotsAhead;

/**
 * Tells how the last day went and what comes, of all templates that the actor may see together. Tasks are counted by when they
 * ended, from the index that has them so, and windows to come by the cadences of templates, so that the cost grows with what
 * ran in a day, and hardly with the number of templates.
 * @throws HorariumError `not_found` for a company that the actor may not see, `bad_request` for a zone that is none.
 */
export async function readOutlook(
  tables: Tables,
  actor: Actor,
  request: OutlookRequest,
  { timezone: ownZone, calendarRules }: TimelineContext,
): Promise<Outlook> {
  const { company_id = null, timezone = ownZone } = request;
  requireZone(timezone);
  const now = await tables.now();
  const scope = await scopeOf(tables, actor, company_id);
  const present = Math.floor(now / outlookSlot) * outlookSlot;
  const from = present - (slotsBehind - 1) * outlookSlot;
  const endOfDay = startOfDay(now, timezone, -1);
  const counts = await countEnded(tables, scope, { from, now });
  const add = (state: OutlookState, at: Instant, count: number) => {
    const index = Math.floor((at - from) / outlookSlot);
    if (count === 0 || index >= slots) return;
    const list = counts.get(state) ?? new Array<number>(slots).fill(0);
    list[index] = (list[index] ?? 0) + count;
    counts.set(state, list);
  };
  add('running', now, await tables.of(Job).count([['state', '=', 'running'], ...scope]));
  const jobs = await countPending(tables, scope, { now, to: from + slots * outlookSlot, endOfDay });
  add('to_come', now, jobs.waiting);
  for (const [index, count] of jobs.bySlot.entries()) add('to_come', from + index * outlookSlot, count);
  let rest = jobs.waiting + jobs.today;
  const { deadline, complete } = await planGroups(tables, scope, {
    range: { from: now + 1, to: Math.max(from + slots * outlookSlot, endOfDay) },
    calendarRules,
    restUntil: endOfDay,
    onWindow: (due, count) => {
      add('to_come', due, count);
      if (due < endOfDay) rest += count;
    },
  });
  return {
    time: now,
    from,
    slot: outlookSlot,
    slots,
    counts: Object.fromEntries(counts),
    rest_of_day: { count: rest, deadline },
    next: await startingRuns(tables, (await findNextRuns(tables, scope, { now, calendarRules })).slice(0, maxNext)),
    complete,
  };
}

/**
 * Counts Tasks by state and slot. Nearly all were fulfilled in time: these are counted by themselves, because counting entries
 * of an index takes less time than grouping them.
 */
async function countEnded(
  tables: Tables,
  scope: Scope,
  { from, now }: { readonly from: Instant; readonly now: Instant },
): Promise<Map<OutlookState, number[]>> {
  const steps = { of: 'ended_at', from, length: outlookSlot, count: slotsBehind } as const;
  const ended = (states: readonly TaskEndState[]): Where<TaskRow> => [
    ['state', 'in', states],
    ['ended_at', '>=', from],
    ['ended_at', '<=', now],
    ['backfilled', '=', false],
    ...scope,
  ];
  const fulfilled = await tables.of(Task).histogram([], steps, ended(['fulfilled']));
  const others = taskEndStates.filter((state) => state !== 'fulfilled');
  const found = await tables.of(Task).histogram(['state'], steps, ended(others));
  const all = [
    ...fulfilled.map(({ counts }) => ({ state: 'fulfilled' as const, counts })),
    ...found.map(({ values: [state], counts }) => ({ state: state as TaskEndState, counts })),
  ];
  const ahead = new Array<number>(slotsAhead).fill(0);
  return new Map(all.map(({ state, counts }) => [state, [...counts, ...ahead]]));
}

/** Counts jobs that have not started: those that are due, and by slot and until the end of the day those that wait for their time. */
async function countPending(
  tables: Tables,
  scope: Scope,
  { now, to, endOfDay }: { readonly now: Instant; readonly to: Instant; readonly endOfDay: Instant },
) {
  const jobs = tables.of(Job);
  const later = ['queue_at', '>', now] as const;
  const from = to - slots * outlookSlot;
  const [waiting, today, histogram] = await Promise.all([
    jobs.count([['queue_at', '<=', now], ...scope]),
    jobs.count([later, ['queue_at', '<', endOfDay], ...scope]),
    jobs.histogram([], { of: 'queue_at', from, length: outlookSlot, count: slots }, [
      later,
      ['queue_at', '<', to],
      ...scope,
    ]),
  ]);
  return { waiting, today, bySlot: histogram[0]?.counts ?? [] };
}

async function startingRuns(
  tables: Tables,
  found: Awaited<ReturnType<typeof findNextRuns>>,
): Promise<readonly StartingRun[]> {
  const ids = [...new Set(found.map(({ runtemplate_id }) => runtemplate_id))];
  const tasks = await readByIds(
    tables,
    Task,
    found.flatMap(({ task_id }) => task_id ?? []),
    ['id', 'deadline'],
  );
  const columns = ['runtemplate_id', 'duration_mean'] as const;
  const schedules =
    ids.length === 0 ? [] : await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]], columns });
  const usual = new Map(schedules.map(({ runtemplate_id, duration_mean }) => [runtemplate_id, duration_mean]));
  const named = await withNames(tables, found);
  return named.map(({ task_id, deadline, ...run }) => ({
    ...run,
    deadline: deadline ?? tasks.get(task_id ?? 0)?.deadline ?? null,
    usual_duration: usual.get(run.runtemplate_id) ?? null,
  }));
}
