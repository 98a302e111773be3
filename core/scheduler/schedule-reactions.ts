import { App, type AppRow } from '../app/app.ts';
import type { CalendarRow } from '../calendar/calendar.ts';
import { daysOffOf, readCalendars } from '../calendar/calendars.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import { disabledReason, enabledIds, readOwners, withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import {
  rescheduleTemplate,
  type TemplateState,
  templateStateFields,
  unscheduleTemplate,
} from './reschedule-template.ts';

/** Reschedules a template that is saved, and unschedules one that is deleted. */
export async function onTemplateChange(
  { before, after }: RecordChange<RunTemplateRow>,
  tables: Tables,
  { calendarRules }: ScheduleServices,
): Promise<void> {
  if (!after) return before && unscheduleTemplate(tables, before);
  const calendars = await readCalendars(tables, calendarRules, before ? [before, after] : [after]);
  // The change may replace the App of the template, so the App is looked up for each version.
  const change = {
    before: before && calendars.resolve(await stateOf(tables, before)),
    after: calendars.resolve(await stateOf(tables, after)),
  };
  await rescheduleTemplate(tables, change, calendarRules);
}

/**
 * Reschedules the active templates that follow a calendar whose days off have changed: windows that began before stay as
 * they were.
 */
export async function onCalendarChange(
  { before, after }: RecordChange<CalendarRow>,
  tables: Tables,
  { calendarRules }: ScheduleServices,
): Promise<void> {
  if (!before || !after) return;
  const change = { before: daysOffOf(before, calendarRules), after: daysOffOf(after, calendarRules) };
  if (change.before === change.after) return;
  const templates = await withoutDisabled(tables, await activeTemplates(tables, [['calendar_id', '=', after.id]]));
  for (const template of templates) {
    await yieldToEventLoop();
    const states = {
      before: { ...template, enabled: true, daysOff: change.before },
      after: { ...template, enabled: true, daysOff: change.after },
    };
    await rescheduleTemplate(tables, states, calendarRules);
  }
}

/** What schedules need of the service. */
type ScheduleServices = Pick<RecordServices, 'calendarRules'>;

/** Waives the Tasks of an App's templates when the App is disabled, and starts their schedules when it is enabled. */
export function onAppChange(change: RecordChange<AppRow>, tables: Tables, service: ScheduleServices): Promise<void> {
  return onEnabledChange(tables, change, service, 'app_id', { description: Company, column: 'company_id' });
}

/** Waives the Tasks of a company's templates when the company is disabled, and starts their schedules when enabled. */
export function onCompanyChange(
  change: RecordChange<CompanyRow>,
  tables: Tables,
  service: ScheduleServices,
): Promise<void> {
  return onEnabledChange(tables, change, service, 'company_id', { description: App, column: 'app_id' });
}

type OwnerColumn = 'app_id' | 'company_id';

/**
 * Reschedules the active templates of a record that is enabled or disabled.
 * @param column refers from a template to that record.
 * @param other the other record that must be enabled for a template to be scheduled.
 */
async function onEnabledChange(
  tables: Tables,
  { before, after }: RecordChange<AppRow | CompanyRow>,
  { calendarRules }: ScheduleServices,
  column: OwnerColumn,
  other: { readonly description: TableDescription; readonly column: OwnerColumn },
): Promise<void> {
  if (!before || !after || before.enabled === after.enabled) return;
  const templates = await activeTemplates(tables, [[column, '=', after.id]]);
  const otherIds = templates.map((template) => template[other.column]);
  const enabled = await enabledIds(tables, other.description, otherIds);
  const affected = templates.filter((template) => enabled.has(template[other.column]));
  const calendars = await readCalendars(tables, calendarRules, affected);
  for (const template of affected) {
    await yieldToEventLoop();
    const state = calendars.resolve(template);
    const states = { before: { ...state, enabled: before.enabled }, after: { ...state, enabled: after.enabled } };
    await rescheduleTemplate(tables, states, calendarRules);
  }
}

async function stateOf(tables: Tables, template: RunTemplateRow): Promise<Omit<TemplateState, 'daysOff'>> {
  return { ...template, enabled: disabledReason(await readOwners(tables, template)) === null };
}

function activeTemplates(
  tables: Tables,
  where: Where<RunTemplateRow>,
): Promise<Omit<TemplateState, 'enabled' | 'daysOff'>[]> {
  return tables.of(RunTemplate).find({ where: [...where, ['active', '=', true]], columns: templateStateFields });
}
