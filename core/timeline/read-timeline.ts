import { App } from '../app/app.ts';
import { readCalendars } from '../calendar/calendars.ts';
import { owedWindowContaining } from '../calendar/owed-windows.ts';
import { badRequest } from '../errors.ts';
import { jobStates } from '../job/job-states.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { templateRef } from '../pause/pauses.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { unlessUnplannable } from '../scheduler/due-windows.ts';
import type { Where } from '../store/query.ts';
import { readByIds, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { type Scope, scopeOf } from '../summary/scope.ts';
import { taskStates } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Schedule, type ScheduleRow, type ScheduleSpec, scheduleSpecFields } from '../template/schedule.ts';
import { day, hour, minute } from '../time/duration.ts';
import { requireInstant } from '../time/instant.ts';
import { maxDays, type TimeRange } from '../time/local-time.ts';
import { requireZone, zoneNamed } from '../time/zone.ts';
import {
  type ClockOffset,
  maxSlots,
  maxTimelineRows,
  type SlotCounts,
  type Timeline,
  type TimelineHold,
  type TimelineRequest,
  type TimelineRow,
  timelineStates,
} from './timeline.ts';
import { type HeldSpans, type HoldSpan, heldSpansOf, readHolds } from './timeline-holds.ts';
import {
  batchOf,
  countByState,
  countTasks,
  listTasks,
  type StateCounts,
  type TaskSlots,
  templatesWithTasksIn,
} from './timeline-tasks.ts';
import { type NamedTemplate, readTemplatePage } from './timeline-templates.ts';
import { countWindows, listedWindows, noWindows, WindowsAhead, type WindowsToCome } from './windows-to-come.ts';

export interface TimelineContext {
  readonly timezone: string;
  readonly calendarRules: CalendarRuleSchemas;
}

/** How many Tasks and windows to come a page lists one by one: beyond, those of its templates with more are counted. */
const maxListed = 10_000;
/** How many Tasks and windows a page counts: beyond, it ends. A month of a thousand hourly templates has 720,000. */
const maxCounted = 1_500_000;

/**
 * Tells when what ran and what comes: for each template of a page its Tasks and the windows that have none yet, one by one or
 * counted by slot. Tasks are counted from the index by template, and those that were not fulfilled from the index by state,
 * so that 720,000 Tasks are counted without reading one of them.
 * @throws HorariumError `bad_request` that names what is wrong with the request, `not_found` for a company, an App or a
 * template before the page that the actor may not see.
 */
export async function readTimeline(
  tables: Tables,
  actor: Actor,
  request: TimelineRequest,
  context: TimelineContext,
): Promise<Timeline> {
  const now = await tables.now();
  const range = readRange(request, now);
  const { timezone, slots, limit } = readSettings(request, context.timezone);
  const { from, to } = range;
  const slot = Math.ceil((to - from) / slots);
  const scope = await scopeOf(tables, actor, request.company_id ?? null);
  const page = await readPage(tables, actor, { request, scope, range, limit });
  const plans = await readPlans(tables, page.templates, context.calendarRules);
  const holds = await readHolds(
    tables,
    page.templates.map(templateRef),
    horizonOf(range, plans),
    context.calendarRules,
  );
  const found = await countByTemplate(tables, { plans, holds, slots: { ...range, length: slot, count: slots } });
  const templates = await rowsOf(tables, found, {
    range,
    slot,
    slots,
    listable: listableOf(slots, plans.length),
    scope,
  });
  const isLast = page.isLast && found.length === page.templates.length;
  return {
    time: now,
    ...range,
    timezone,
    clock: clockOf(timezone, range),
    slots,
    slot,
    states: taskStates,
    job_states: jobStates,
    holds: holds.filter(({ start, end }) => start < to && end > from).map((hold) => shownHold(hold, from)),
    templates,
    next: isLast ? null : (templates.at(-1)?.id ?? null),
  };
}

function readRange({ from, to }: TimelineRequest, now: Instant): TimeRange {
  if (from !== undefined) requireInstant('from', from);
  if (to !== undefined) requireInstant('to', to);
  // Whole minutes, so that the slots stay where they are while a screen asks again.
  const recent = Math.floor(now / minute) * minute;
  const range = { from: from ?? recent - day, to: to ?? recent + 6 * hour };
  if (range.from >= range.to) throw badRequest('from must be before to.');
  const days = Math.ceil((range.to - range.from) / day);
  if (days > maxDays) throw badRequest(`The range has ${days} days; the maximum is ${maxDays}.`);
  return range;
}

function readSettings(request: TimelineRequest, ownZone: string) {
  const { timezone = ownZone, slots = 200, limit = 100, states = [] } = request;
  requireZone(timezone);
  requireCount('slots', slots, maxSlots);
  requireCount('limit', limit, maxTimelineRows);
  for (const state of states)
    if (!timelineStates.includes(state))
      throw badRequest(`state takes ${timelineStates.join(', ')}, and not "${state}".`);
  return { timezone, slots, limit };
}

function requireCount(name: string, value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > max)
    throw badRequest(`${name} must be a whole number from 1 to ${max}.`);
}

interface PageRequest {
  readonly request: TimelineRequest;
  readonly scope: Scope;
  readonly range: TimeRange;
  readonly limit: number;
}

async function readPage(tables: Tables, actor: Actor, { request, scope, range, limit }: PageRequest) {
  const { app_id, templateIds, name, states = [], after = null } = request;
  if (app_id !== undefined) await readVisible(tables, actor, App, app_id);
  const where: Where<RunTemplateRow> = [
    ...(templateIds === undefined ? [] : [['id', 'in', templateIds] as const]),
    ...(app_id === undefined ? [] : [['app_id', '=', app_id] as const]),
    ...scope,
  ];
  const withTasks = states.length === 0 ? null : await templatesWithTasksIn(tables, states, range, scope);
  const text = name?.toLowerCase();
  const matches = (template: Pick<RunTemplateRow, 'id' | 'code' | 'name'>) =>
    (withTasks?.has(template.id) ?? true) &&
    (text === undefined || [template.name, template.code].some((each) => each?.toLowerCase().includes(text)));
  return readTemplatePage(tables, actor, { where, matches, after, limit });
}

/** A template with what its windows follow from. */
interface Plan {
  readonly template: NamedTemplate;
  readonly spec: ScheduleSpec;
  readonly schedule: Pick<ScheduleRow, 'next_window' | 'next_at' | 'duration_mean'> | null;
}

async function readPlans(
  tables: Tables,
  templates: readonly NamedTemplate[],
  calendarRules: CalendarRuleSchemas,
): Promise<Plan[]> {
  if (templates.length === 0) return [];
  const ids = templates.map(({ id }) => id);
  const specs = await readByIds(tables, RunTemplate, ids, scheduleSpecFields);
  const calendars = await readCalendars(tables, calendarRules, specs.values());
  const columns = ['runtemplate_id', 'next_window', 'next_at', 'duration_mean'] as const;
  const rows = await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]], columns });
  const schedules = new Map(rows.map((row) => [row.runtemplate_id, row]));
  return templates.map((template) => ({
    template,
    spec: calendars.resolve(required(specs.get(template.id), `RunTemplate ${template.id}`)),
    schedule: schedules.get(template.id) ?? null,
  }));
}

/** Returns the range in which holds matter: jobs of windows that start in it may be due after it. */
function horizonOf({ from, to }: TimeRange, plans: readonly Plan[]): TimeRange {
  const delays = plans.map(({ spec }) => (spec.delay + spec.jitter) * 1000);
  return { from, to: to + delays.reduce((one, other) => Math.max(one, other), 0) };
}

/** A plan with the number of its Tasks in each slot, and its windows to come. */
interface CountedPlan extends Plan {
  readonly held: HeldSpans;
  readonly tasks: readonly number[];
  readonly taskCount: number;
  readonly coming: WindowsToCome;
  /** Whether its windows are known. */
  readonly isPlannable: boolean;
}

/** Counts until the page is at its end, or enough was counted for one. */
async function countByTemplate(
  tables: Tables,
  {
    plans,
    holds,
    slots,
  }: {
    readonly plans: readonly Plan[];
    readonly holds: readonly HoldSpan[];
    readonly slots: TaskSlots;
  },
): Promise<CountedPlan[]> {
  const size = batchOf(slots);
  const ahead = new WindowsAhead(
    slots,
    plans.flatMap(({ schedule }) => schedule ?? []),
  );
  const found: CountedPlan[] = [];
  for (let at = 0, counted = 0; at < plans.length && counted < maxCounted; at += size) {
    await yieldToEventLoop();
    const batch = plans.slice(at, at + size);
    const tasks = await countTasks(
      tables,
      batch.map(({ template }) => template.id),
      slots,
    );
    for (const plan of batch) {
      await yieldToEventLoop();
      const { template, spec, schedule } = plan;
      const isComing = schedule !== null && template.off === null;
      const coming = isComing ? unlessUnplannable(() => ahead.of(spec, schedule), null) : noWindows;
      const counts = tasks.get(template.id) ?? [];
      const taskCount = counts.reduce((sum, count) => sum + count, 0);
      counted += taskCount + (coming?.windows.length ?? 0);
      const held = heldSpansOf(holds, templateRef(template));
      found.push({
        ...plan,
        held,
        tasks: counts,
        taskCount,
        coming: coming ?? noWindows,
        isPlannable: coming !== null,
      });
    }
  }
  return found;
}

/** How many Tasks and windows a template may have that are listed one by one: two columns are there for each at least. */
function listableOf(slots: number, templates: number): number {
  return Math.min(Math.floor(slots / 2), Math.floor(maxListed / Math.max(1, templates)));
}

interface RowContext {
  readonly range: TimeRange;
  readonly slot: Milliseconds;
  readonly slots: number;
  readonly listable: number;
  readonly scope: Scope;
}

async function rowsOf(tables: Tables, found: readonly CountedPlan[], context: RowContext): Promise<TimelineRow[]> {
  const { range, listable, scope, slot, slots } = context;
  const isListed = ({ taskCount, coming }: CountedPlan) => taskCount + coming.windows.length <= listable;
  const [listed, counted] = [found.filter(isListed), found.filter((plan) => !isListed(plan))];
  const tasks = await listTasks(tables, idsOf(listed), startsBefore(listed, range.from), range);
  const inSlots = { ...range, length: slot, count: slots };
  const taskCount = counted.reduce((sum, plan) => sum + plan.taskCount, 0);
  const states = await countByState(tables, { templateIds: idsOf(counted), taskCount, scope }, inSlots);
  const rows: TimelineRow[] = [];
  for (const plan of found) {
    await yieldToEventLoop();
    const { template, spec, schedule, coming, held, isPlannable } = plan;
    const { id, code, name, company_id, company, app_id, app, off } = template;
    const isOne = isListed(plan);
    rows.push({
      ...{ id, code, name, company_id, company, app_id, app },
      off: off ?? (isPlannable ? null : 'unplannable'),
      usual_duration: schedule?.duration_mean ?? null,
      tasks: isOne ? (tasks.get(id) ?? noTasks) : null,
      to_come: isOne ? listedWindows(spec, coming.windows, held, range.from) : null,
      counts: isOne ? null : countsOf(plan, states.get(id), context),
      complete_until: coming.until === null ? null : coming.until - range.from,
    });
  }
  return rows;
}

const noTasks = { id: [], start: [], end: [], deadline: [], state: [], attempts: [] };

function idsOf(plans: readonly CountedPlan[]): number[] {
  return plans.map(({ template }) => template.id);
}

/** Returns when the windows started in which a timeline begins, by template, as far as the schedules of today tell. */
function startsBefore(plans: readonly CountedPlan[], from: Instant): Map<number, Instant> {
  const starts = plans.flatMap(({ spec }) => {
    const window = unlessUnplannable(() => owedWindowContaining(spec, from - 1), null);
    return window && window.end > from ? [[spec.id, window.start] as const] : [];
  });
  return new Map(starts);
}

/** Returns what is counted of a template: Tasks that are in no other state were fulfilled. */
function countsOf(
  { spec, tasks, coming, held }: CountedPlan,
  states: StateCounts | undefined,
  { range, slot, slots }: RowContext,
): SlotCounts {
  const counts: Record<string, SlotCounts[keyof SlotCounts]> = {};
  const fulfilled = [...tasks];
  for (const [state, bySlot] of states ?? []) {
    const some: [number, number][] = [];
    bySlot.forEach((count, index) => {
      if (count === 0) return;
      some.push([index, count]);
      fulfilled[index] = (fulfilled[index] ?? 0) - count;
    });
    counts[state] = some;
  }
  if (fulfilled.some((count) => count > 0)) counts['fulfilled'] = fulfilled;
  const ahead = { to_come: new Array<number>(slots).fill(0), held: new Array<number>(slots).fill(0) };
  countWindows(spec, coming.windows, held, (start, isHeld) => {
    const list = isHeld ? ahead.held : ahead.to_come;
    const index = Math.floor((start - range.from) / slot);
    if (index >= 0) list[index] = (list[index] ?? 0) + 1;
  });
  for (const [name, list] of Object.entries(ahead)) if (list.some((count) => count > 0)) counts[name] = list;
  return counts;
}

function shownHold(
  { kind, id, runtemplate_id, company_id, start, end, by, reason }: HoldSpan,
  from: Instant,
): TimelineHold {
  const to = end === Infinity ? null : end - from;
  return { kind, id, runtemplate_id, company_id, from: start - from, to, by, reason };
}

/** Lists the offsets of a zone in a range. */
function clockOf(timezone: string, { from, to }: TimeRange): ClockOffset[] {
  const zone = zoneNamed(timezone);
  const offsets = [{ at: 0, offset: zone.spanAt(from).offset }];
  for (let change = zone.nextChange(from); change !== null && change < to; change = zone.nextChange(change)) {
    const { offset, offsetBefore } = zone.spanAt(change);
    if (offset !== offsetBefore) offsets.push({ at: change - from, offset });
  }
  return offsets;
}
