import { type CalendarRef, readCalendars } from '../calendar/calendars.ts';
import { canMove, type OwedCadence, owedWindowAtOrAfter } from '../calendar/owed-windows.ts';
import { HorariumError } from '../errors.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import { windowAtOrAfter } from '../time/windows.ts';

type CalendarUse = CalendarRef & Omit<OwedCadence, 'daysOff'>;

const usedFields = ['calendar_id', 'day_off', 'interval', 'cron', 'timezone'] as const;

/**
 * Reports a calendar that the cadence of a run template cannot observe: its windows are no times of days, so that they
 * cannot move, or all of them begin on days off. The caller has checked the cadence.
 */
export async function checkCalendarUse(
  row: CalendarUse,
  { tables, service, before, errors }: Pick<CheckContext<CalendarUse>, 'tables' | 'service' | 'before' | 'errors'>,
): Promise<void> {
  if (row.calendar_id === null || errors.length > 0) return;
  // A template whose calendar has a problem now can still be switched off.
  if (before && usedFields.every((field) => before[field] === row[field])) return;
  const moves = row.day_off !== 'skip';
  if (moves && !canMove(row)) {
    const what = row.interval === 'custom' ? `of the cron pattern "${row.cron}"` : `that are ${row.interval}`;
    errors.push({ field: 'day_off', message: `windows ${what} cannot move to another day: day_off must be skip` });
    return;
  }
  const cadence = (await readCalendars(tables, service.calendarRules, [row])).resolve(row);
  const now = await tables.now();
  try {
    if (owedWindowAtOrAfter(cadence, now) !== null || windowAtOrAfter(cadence, now) === null) return;
    const name = cadence.daysOff?.name ?? '';
    errors.push({
      field: 'calendar_id',
      message: `no window would ever be owed: each begins on a day off of the calendar ${name}`,
    });
  } catch (error) {
    if (!(error instanceof HorariumError)) throw error;
    errors.push({ field: 'calendar_id', message: error.message });
  }
}
