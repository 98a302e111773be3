import { zoneNamed } from '@horarium/core/plugin';
import { readSchedule } from '../lines/schedule.ts';

/** The times of `OnCalendar`, as a run template has them. */
export interface CalendarTimes {
  readonly cron: string;
  /** Null = that of the service. */
  readonly timezone: string | null;
}

const shorthands: Readonly<Record<string, string>> = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
};
const isWeekday = /^(?:mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/i;
/** A range of them runs from Monday to Sunday at most. */
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * Translates a calendar event of systemd.time(7) to a pattern for croner.
 * @throws Error that says what of it no pattern of whole minutes and all years says, or what is wrong with it.
 */
export function readOnCalendar(expression: string): CalendarTimes {
  const [first = '', ...rest] = expression.trim().split(/\s+/);
  const words = [...(shorthands[first.toLowerCase()] ?? first).split(' '), ...rest];
  const zone = words.length > 1 && /^[A-Za-z][\w/+-]*$/.test(words.at(-1) ?? '') ? (words.pop() as string) : null;
  if (zone !== null) zoneNamed(zone);
  const days = /^[A-Za-z]/.test(words[0] ?? '') ? weekdaysOf(words.shift() as string) : '*';
  const time = words.at(-1)?.includes(':') ? (words.pop() as string) : '00:00:00';
  const date = words.shift() ?? '*-*-*';
  if (words.length > 0) throw new Error(`“${expression}” is no calendar event of systemd`);
  const [month, day] = dateOf(date);
  const [hour = '', minute = '', second = '00'] = time.split(':');
  if (!/^0+$/.test(second)) throw new Error(`“${expression}” names seconds, and run templates start at whole minutes`);
  const fields = [part(minute, 0, 59), part(hour, 0, 23), day, month, days];
  const cron = readSchedule(fields);
  // systemd runs when both the day of the month and that of the week fit, and croner when one of them does.
  const both = day !== '*' && days !== '*' && !/ \+\S+$/.test(cron);
  return { cron: both ? cron.replace(/ (\S+)$/, ' +$1') : cron, timezone: zone };
}

function dateOf(date: string): [month: string, day: string] {
  if (date.includes('~'))
    throw new Error(`“${date}” counts days from the end of the month, which no pattern says here`);
  const parts = date.split('-');
  const [day = '', month = '', year = '*'] = parts.reverse();
  if (parts.length > 3 || year !== '*') throw new Error(`“${date}” names a year, and run templates run in all years`);
  return [part(month, 1, 12), part(day, 1, 31)];
}

/** Translates `8..18/2,20` to `8-18/2,20`. */
function part(list: string, min: number, max: number): string {
  return list
    .split(',')
    .map((range) => {
      const [, from = '', to, step] = /^(\*|\d+)(?:\.\.(\d+))?(?:\/(\d+))?$/.exec(range) ?? [];
      if (from === '')
        throw new Error(`“${range}” is neither *, a number, a range such as 8..18 nor one of these with a step`);
      const first = from === '*' ? '*' : String(Number(from));
      if (from === '*' && Number(step ?? 1) === 1) return '*';
      const start = from === '*' ? min : Number(from);
      if (to !== undefined) return `${first}-${Number(to)}${step === undefined ? '' : `/${step}`}`;
      return step === undefined ? first : `${start}-${max}/${step}`;
    })
    .join(',');
}

function weekdaysOf(list: string): string {
  const numbers = list.split(',').flatMap((range) => {
    const [from = -1, to = from] = range
      .split(/\.\.|-/)
      .map((name) => weekdays.findIndex((day) => isWeekday.test(name) && name.toLowerCase().startsWith(day)));
    if (from < 0 || to < from) throw new Error(`“${range}” is neither a day of the week nor a range of them`);
    return Array.from({ length: to - from + 1 }, (_, index) => (from + index + 1) % 7);
  });
  return [...new Set(numbers)].sort((a, b) => a - b).join(',');
}
