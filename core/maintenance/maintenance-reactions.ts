import type { CalendarRow } from '../calendar/calendar.ts';
import { daysOffOf, readCalendars } from '../calendar/calendars.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { CalendarRuleSchemas, RecordServices } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import {
  knownOutlook,
  movePauses,
  outlookOf,
  problemPlan,
  renamePauses,
  replan,
  replanned,
} from './maintenance-plan.ts';
import { changesTimes, MaintenanceWindow, type MaintenanceWindowRow } from './maintenance-window.ts';

type MaintenanceServices = Pick<RecordServices, 'calendarRules'>;

/** Lets the pauses of a maintenance window follow a change of it; the pauses of one that is deleted end. */
export async function onMaintenanceChange(
  { before, after }: RecordChange<MaintenanceWindowRow>,
  tables: Tables,
  { calendarRules }: MaintenanceServices,
): Promise<void> {
  if (!before) return;
  if (after && (before.name !== after.name || before.catch_up !== after.catch_up)) await renamePauses(tables, after);
  if (after && !changesTimes(before, after)) return;
  const calendars = await readCalendars(tables, calendarRules, after ? [before, after] : [before]);
  const was = await knownOutlook(tables, before, calendars.resolve(before).daysOff);
  const is = after && (await knownOutlook(tables, after, calendars.resolve(after).daysOff));
  const isMade = is !== undefined && replan(was && { ...before, outlook: was }, is).isMade;
  const change = { before: was?.current, after: is?.current, deletesAhead: !isMade };
  await movePauses(tables, after ?? before, change);
}

/** Plans the maintenance windows again whose calendar has changed, and lets their pauses follow. */
export async function onMaintenanceCalendarChange(
  { before, after }: RecordChange<CalendarRow>,
  tables: Tables,
  { calendarRules }: MaintenanceServices,
): Promise<void> {
  if (!before || !after) return;
  const change = { before: daysOffOf(before, calendarRules), after: daysOffOf(after, calendarRules) };
  if (change.before === change.after) return;
  const windows = await tables.of(MaintenanceWindow).find({
    where: [
      ['calendar_id', '=', after.id],
      ['active', '=', true],
    ],
    order: [['id', 'asc']],
    lock: 'wait',
  });
  for (const window of windows) {
    await yieldToEventLoop();
    const was = await knownOutlook(tables, window, change.before);
    try {
      const is = await outlookOf(tables, window, change.after);
      const { plan, isMade } = replan(was && { ...window, outlook: was }, is);
      await tables.of(MaintenanceWindow).update([{ row: window, set: plan }]);
      await movePauses(tables, window, { before: was?.current, after: is.current, deletesAhead: !isMade });
    } catch (error) {
      await tables.of(MaintenanceWindow).update([{ row: window, set: problemPlan(error) }]);
    }
  }
}

/**
 * Plans the maintenance windows again after the store's clock was set back: times that seemed to have passed lie ahead. Those that
 * have their pauses get no second one.
 */
export async function replanAfterSetBack(tables: Tables, calendarRules: CalendarRuleSchemas): Promise<void> {
  const windows = await tables.of(MaintenanceWindow).find({
    where: [['active', '=', true]],
    order: [['id', 'asc']],
    lock: 'wait',
  });
  const calendars = await readCalendars(tables, calendarRules, windows);
  for (const window of windows) {
    await yieldToEventLoop();
    const plan = await replanned(tables, window, calendars.resolve(window).daysOff);
    await tables.of(MaintenanceWindow).update([{ row: window, set: plan }]);
  }
}
