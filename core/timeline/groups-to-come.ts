import { App } from '../app/app.ts';
import { readCalendars } from '../calendar/calendars.ts';
import { Company } from '../company/company.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { Scope } from '../summary/scope.ts';
import { disabledIds } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { Window } from '../time/windows.ts';
import { type PlannedWindows, plannedWindows } from './planned-windows.ts';
import { type HeldSpans, type HoldSpan, heldSpansOf, isHeldAt, readAllHolds } from './timeline-holds.ts';

/** How many windows of all cadences are planned. */
const maxPlanned = 100_000;

/** The fields from which the windows of a template follow, with the times at which their jobs are due but for jitter. */
const columns = [
  'company_id',
  'interval',
  'cron',
  'timezone',
  'calendar_id',
  'day_off',
  'delay',
  'deadline',
  'starts_at',
  'ends_at',
] as const satisfies readonly (keyof RunTemplateRow)[];

type GroupSpec = Pick<RunTemplateRow, (typeof columns)[number]>;

/** Templates that have the same windows. */
interface TemplateGroup extends GroupSpec {
  readonly count: number;
  readonly held: HeldSpans;
}

/** What is planned of the templates of a scope, and what is done with it. */
interface GroupPlan {
  /** The windows that start in it are planned. */
  readonly range: TimeRange;
  readonly calendarRules: CalendarRuleSchemas;
  /** Of the windows whose jobs are due before then, the last deadline is found. */
  readonly restUntil: Instant;
  /** Called for each window of a group of templates. @param due when its job starts, but for jitter. */
  readonly onWindow: (due: Instant, count: number) => void;
}

/**
 * Plans the windows that start in a range, of all active templates in a scope together: one statement groups templates that
 * have the same windows, so that ten thousand of them cost little more than the few cadences that people use. Windows whose job
 * a pause or maintenance holds are left out.
 * @returns the last deadline, and whether all were planned: beyond `maxPlanned` the rarest cadences are left out.
 */
export async function planGroups(
  tables: Tables,
  scope: Scope,
  plan: GroupPlan,
): Promise<{ readonly deadline: Instant | null; readonly complete: boolean }> {
  const { range, calendarRules } = plan;
  const groups = await readGroups(tables, scope, range, calendarRules);
  const calendars = await readCalendars(tables, calendarRules, groups);
  const planned = new Map<string, PlannedWindows>();
  let [left, deadline, complete] = [maxPlanned, 0, true];
  for (const group of groups.sort((one, other) => other.count - one.count)) {
    await yieldToEventLoop();
    const { interval, cron, timezone, calendar_id, day_off } = group;
    const key = JSON.stringify([interval, cron, timezone, calendar_id, day_off]);
    const windows = planned.get(key) ?? (await plannedWindows(calendars.resolve(group), range, left));
    if (!planned.has(key)) left = Math.max(0, left - windows.times.length / 2);
    planned.set(key, windows);
    complete &&= windows.complete;
    const last = eachWindow(group, windows, plan);
    if (last) deadline = Math.max(deadline, deadlineAt(group, last, dueIn(group, last)));
  }
  return { deadline: deadline === 0 ? null : deadline, complete };
}

/** Goes through the windows of a group. @returns the last one whose job is due before `restUntil`. */
function eachWindow(
  group: TemplateGroup,
  { times }: PlannedWindows,
  { range, restUntil, onWindow }: GroupPlan,
): Window | null {
  const [from, to] = [
    Math.max(range.from, group.starts_at ?? -Infinity),
    Math.min(range.to, group.ends_at ?? Infinity),
  ];
  let last: Window | null = null;
  for (let at = 0; at < times.length; at += 2) {
    const window = { start: times[at] as number, end: times[at + 1] as number };
    if (window.start < from) continue;
    if (window.start >= to) break;
    const due = dueIn(group, window);
    if (group.held.length > 0 && isHeldAt(group.held, due)) continue;
    onWindow(due, group.count);
    if (due < restUntil) last = window;
  }
  return last;
}

function dueIn({ delay }: GroupSpec, window: Window): Instant {
  return dueAt({ delay, jitter: 0 }, window, ofGroup);
}

/** Groups the templates of a scope whose windows get Tasks. */
async function readGroups(
  tables: Tables,
  scope: Scope,
  range: TimeRange,
  calendarRules: CalendarRuleSchemas,
): Promise<TemplateGroup[]> {
  const holds = await readAllHolds(tables, range, calendarRules);
  const active: Where<RunTemplateRow> = [['active', '=', true], ...scope];
  const [apps, companies] = await Promise.all([disabledIds(tables, App), disabledIds(tables, Company)]);
  const isOff = { any: [[['app_id', 'in', apps]], [['company_id', 'in', companies]]] } as const;
  const groups = new Map<string, TemplateGroup>();
  const add = (spec: GroupSpec, count: number, id: number) => {
    const key = JSON.stringify([columns.map((column) => spec[column]), id]);
    const known = groups.get(key);
    const held = known?.held ?? heldSpansOf(holds, { runtemplate_id: id, company_id: spec.company_id });
    groups.set(key, { ...spec, held, count: (known?.count ?? 0) + count });
  };
  const all = await tables.of(RunTemplate).countBy(columns, active);
  const off =
    apps.length + companies.length === 0 ? [] : await tables.of(RunTemplate).countBy(columns, [isOff, ...active]);
  const named = await templatesOfHolds(tables, holds, active);
  for (const { values, count } of [...all, ...off.map(({ values, count }) => ({ values, count: -count }))]) {
    await yieldToEventLoop();
    add(specOf(values), count, ofGroup);
  }
  for (const template of named) {
    await yieldToEventLoop();
    if (apps.includes(template.app_id) || companies.includes(template.company_id)) continue;
    add(template, -1, ofGroup);
    add(template, 1, template.id);
  }
  return [...groups.values()].filter(({ count }) => count > 0);
}

function specOf(values: readonly unknown[]): GroupSpec {
  return Object.fromEntries(columns.map((column, index) => [column, values[index]])) as unknown as GroupSpec;
}

/** Reads the templates that a pause or maintenance names: they have a group for each. */
async function templatesOfHolds(tables: Tables, holds: readonly HoldSpan[], active: Where<RunTemplateRow>) {
  const ids = [...new Set(holds.flatMap(({ runtemplate_id }) => runtemplate_id ?? []))];
  if (ids.length === 0) return [];
  const where = [['id', 'in', ids] as const, ...active];
  return tables.of(RunTemplate).find({ where, columns: ['id', 'app_id', ...columns] });
}

/** In place of the id of a template: no pause names it. */
const ofGroup = 0;
