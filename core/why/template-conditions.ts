import { App } from '../app/app.ts';
import { readCalendars } from '../calendar/calendars.ts';
import { dayOffAt, owedWindowAtOrAfter } from '../calendar/owed-windows.ts';
import { Company } from '../company/company.ts';
import { HorariumError } from '../errors.ts';
import { readPlacement } from '../executor/placement.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { describePause, Pause, type PauseRow } from '../pause/pause.ts';
import { readPauses, templateRef } from '../pause/pauses.ts';
import { nextWindowStart } from '../scheduler/due-windows.ts';
import { unscheduledReason, usualLag } from '../scheduler/overdue-window.ts';
import { readClockState } from '../service-time/clock-state.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Schedule, type ScheduleRow, type ScheduleSpec } from '../template/schedule.ts';
import { dueAt } from '../time/due.ts';
import { describeDuration } from '../time/duration.ts';
import { windowContaining } from '../time/windows.ts';
import { readSuitableAgents } from '../worker/lease/agent-presence.ts';
import { hasExecutor, noWorkerReason, readLiveWorkers } from '../worker/lease/worker-lease.ts';
import type { ConditionName, RunCondition } from './explanation.ts';
import { hostOf } from './job-conditions.ts';
import { changedByText, lastChangeOf } from './last-change.ts';
import { metCondition, timeText, unmetCondition, type WhyContext } from './why-context.ts';

/**
 * Lists what must be met so that a template may run at all: it is active, its App and its company are enabled, no pause holds
 * it, its executor takes its options, and the time of the service goes on as the clock of the database does.
 */
export async function basicConditions(context: WhyContext, template: RunTemplateRow): Promise<RunCondition[]> {
  const { tables, executors } = context;
  const { active, app_id, company_id, executor, executor_options } = template;
  const of = templateRef(template);
  const [{ held }, pauses, [app], [company]] = await Promise.all([
    readClockState(tables),
    readPauses(tables, [of]),
    tables.of(App).find({ where: [['id', '=', app_id]], columns: ['enabled', 'name'] }),
    tables.of(Company).find({ where: [['id', '=', company_id]], columns: ['enabled', 'name', 'run_as'] }),
  ]);
  const { enabled: appEnabled, name: appName } = required(app, `App ${app_id}`);
  const { enabled: companyEnabled, name: companyName, run_as } = required(company, `Company ${company_id}`);
  const pause = pauses.at(of, context.now);
  const refusal = executors.get(executor)?.refuse?.(executor_options, run_as) ?? null;
  return [
    ...(held > 0 ? [unmetCondition('clock', clockText(held))] : []),
    active
      ? metCondition('active', 'the run template is active')
      : await switchedOff(context, 'active', 'the run template is not active', [
          RunTemplate.name,
          template.id,
          'active',
        ]),
    appEnabled
      ? metCondition('app_enabled', `the App ${appName} is enabled`)
      : await switchedOff(context, 'app_enabled', `the App ${appName} is disabled`, [App.name, app_id, 'enabled']),
    companyEnabled
      ? metCondition('company_enabled', `the company ${companyName} is enabled`)
      : await switchedOff(context, 'company_enabled', `the company ${companyName} is disabled`, [
          Company.name,
          company_id,
          'enabled',
        ]),
    ...(pause ? [await pausedCondition(context, pause)] : []),
    ...(refusal === null ? [] : [unmetCondition('startable', `its jobs cannot start: ${refusal}`)]),
  ];
}

async function pausedCondition(context: WhyContext, pause: PauseRow): Promise<RunCondition> {
  const text = describePause(pause, (at) => timeText(context, at));
  const change = await lastChangeOf(context, [Pause.name, pause.id, 'until']);
  return unmetCondition('paused', text, change?.id ?? null);
}

function clockText(held: Milliseconds): string {
  return `the clock of the database jumped ahead by ${describeDuration(held)}, and the service goes on as if it had not until an admin confirms the jump (horarium clock:confirm)`;
}

/** Says by whom something was switched off. @param field the field, after its record. */
async function switchedOff(
  context: WhyContext,
  name: ConditionName,
  text: string,
  field: Parameters<typeof lastChangeOf>[1],
): Promise<RunCondition> {
  const change = await lastChangeOf(context, field);
  return unmetCondition(name, `${text}${changedByText(context, change)}`, change?.id ?? null);
}

/** Lists what must be met so that windows of a template get their Tasks: its bounds, a next window, a scheduler. */
export async function windowConditions(context: WhyContext, template: RunTemplateRow): Promise<RunCondition[]> {
  const { starts_at, ends_at } = template;
  const { now } = context;
  const conditions: RunCondition[] = [];
  if (starts_at !== null)
    conditions.push(
      starts_at > now
        ? unmetCondition('started', `its windows begin at ${timeText(context, starts_at)} (starts_at)`)
        : metCondition('started', `its windows began at ${timeText(context, starts_at)} (starts_at)`),
    );
  if (ends_at !== null)
    conditions.push(
      ends_at <= now
        ? unmetCondition('not_ended', `its windows ended at ${timeText(context, ends_at)} (ends_at)`)
        : metCondition('not_ended', `its windows end at ${timeText(context, ends_at)} (ends_at)`),
    );
  if (ends_at === null || ends_at > now) conditions.push(...(await plannedConditions(context, template)));
  const [schedule] = await context.tables.of(Schedule).find({ where: [['runtemplate_id', '=', template.id]] });
  const behind = schedule && behindReason(context, schedule);
  if (behind) conditions.push(unmetCondition('tasks_made', behind));
  else if (template.interval !== 'none')
    conditions.push(metCondition('tasks_made', 'the windows that began have their Tasks'));
  return conditions;
}

/** Says whether the days off of a template's calendar leave out its present window, and which window follows. */
async function plannedConditions(context: WhyContext, row: RunTemplateRow): Promise<RunCondition[]> {
  const template = (await readCalendars(context.tables, context.calendarRules, [row])).resolve(row);
  if (template.daysOff === null) return [windowCondition(context, template)];
  try {
    const window = windowCondition(context, template);
    return [calendarCondition(context, template, window.text), window];
  } catch (error) {
    // A rule of the calendar cannot tell which days are off.
    if (!(error instanceof HorariumError && error.code === 'unavailable')) throw error;
    return [unmetCondition('calendar', `its windows cannot be planned: ${withoutStop(error.message)}`)];
  }
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function calendarCondition(context: WhyContext, template: ScheduleSpec, next: string): RunCondition {
  const name = template.daysOff?.name ?? '';
  const window = windowContaining(template, context.now);
  const dayOff = window && dayOffAt(template, window.start);
  if (!window || dayOff === null) return metCondition('calendar', `it follows the calendar ${name}`);
  const began = `the window of ${timeText(context, window.start)} began on a day off of the calendar ${name} (${dayOff})`;
  if (template.day_off === 'skip') return unmetCondition('calendar', `${began} and gets no Task; ${next}`);
  return template.day_off === 'next'
    ? unmetCondition('calendar', `${began} and moves to the next working day; ${next}`)
    : metCondition('calendar', `${began} and has moved to the working day before`);
}

function windowCondition(context: WhyContext, template: ScheduleSpec): RunCondition {
  if (template.interval === 'none')
    return unmetCondition(
      'window',
      'its interval is none: it runs only when a person, a program or an event rule asks for it',
    );
  const next = nextWindowStart(template, context.now + 1);
  const window = next === null ? null : owedWindowAtOrAfter(template, next);
  if (!window) return unmetCondition('window', 'no further window follows');
  const due = dueAt(template, window, template.id);
  const start = `its next window begins at ${timeText(context, window.start)}`;
  return metCondition(
    'window',
    due === window.start
      ? `${start}, when its job is due`
      : `${start}, and its job is due at ${timeText(context, due)}`,
  );
}

/** Says since when windows wait for their Tasks; null = none waits longer than usual. */
function behindReason(context: WhyContext, { next_at, backlog }: ScheduleRow): string | null {
  const first = Math.min(next_at ?? Infinity, ...(backlog ?? []).map(({ next }) => next));
  if (first > context.now - usualLag) return null;
  const since = timeText(context, first);
  return backlog
    ? `the windows since ${since} have no Tasks: they passed unscheduled, and a scheduler makes their Tasks in batches`
    : unscheduledReason(since);
}

/** Says whether a worker, or an agent, can run the jobs of a template. */
export async function workerCondition(
  { tables, now, external }: WhyContext,
  { executor, placement, company_id }: RunTemplateRow,
): Promise<RunCondition> {
  if (external.has(executor)) return metCondition('worker', `programs elsewhere claim its jobs (executor ${executor})`);
  if (placement !== null) return agentCondition(tables, { placement, company_id }, now);
  const workers = await readLiveWorkers(tables, now);
  const [first, ...others] = workers.filter((worker) => hasExecutor(worker, executor));
  if (!first) return unmetCondition('worker', noWorkerReason(executor, workers));
  return metCondition('worker', `a live worker on ${first.host}${andMore(others)} has its executor ${executor}`);
}

async function agentCondition(
  tables: Tables,
  jobs: Pick<RunTemplateRow, 'company_id'> & { readonly placement: string },
  now: Instant,
): Promise<RunCondition> {
  const { workers, missing } = await readSuitableAgents(tables, jobs, now);
  const [first, ...others] = workers;
  if (!first) return unmetCondition('worker', missing ?? '');
  const { pool } = readPlacement(jobs.placement);
  return metCondition('worker', `the ${hostOf(first.name)}${andMore(others)} of the pool ${pool} can run its jobs`);
}

function andMore(others: readonly unknown[]): string {
  return others.length > 0 ? ` and ${others.length} more` : '';
}
