import { language, words } from '../words/words.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The zone of the reader. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Writes a time span in one unit, or in two where the second one says something: `4 min 12 s`, `40 s`, `2 h`, `3 days`. */
export function spanText(milliseconds: number): string {
  const { time } = words.value;
  const span = Math.abs(milliseconds);
  if (span < minute) return time.seconds(Math.round(span / second));
  if (span < 10 * minute) return twoUnits(span, minute, second, time.minutes, time.seconds);
  if (span < hour) return time.minutes(Math.round(span / minute));
  if (span < 10 * hour) return twoUnits(span, hour, minute, time.hours, time.minutes);
  if (span < 2 * day) return time.hours(Math.round(span / hour));
  return time.days(Math.round(span / day));
}

type Unit = (count: number) => string;

function twoUnits(span: number, large: number, small: number, largeText: Unit, smallText: Unit): string {
  const all = Math.round(span / small);
  const [count, rest] = [Math.floor((all * small) / large), all % (large / small)];
  return rest === 0 ? largeText(count) : `${largeText(count)} ${smallText(rest)}`;
}

/** Writes when something is, from now on: `in 40 s`, `25 min ago`. */
export function relativeText(at: number, now: number): string {
  const { time } = words.value;
  const ahead = at - now;
  if (Math.abs(ahead) < second / 2) return time.now;
  return ahead > 0 ? time.in(spanText(ahead)) : time.ago(spanText(ahead));
}

type Style = 'time' | 'seconds' | 'day' | 'date' | 'shortDay' | 'month' | 'exact';

const styles: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit' },
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  shortDay: { weekday: 'short', day: 'numeric' },
  month: { month: 'long', year: 'numeric' },
  exact: { dateStyle: 'full', timeStyle: 'long' },
};
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(style: Style, zone: string): Intl.DateTimeFormat {
  const locale = language.value === 'en' ? 'en-GB' : language.value;
  const key = `${style} ${zone} ${locale}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: zone });
    formats.set(key, format);
  }
  return format;
}

/** Writes the time of a day: `14:05`; with its seconds where it is one of a schedule that has some: `14:05:15`. */
export function timeText(at: number, zone = ownZone): string {
  // What was measured has milliseconds.
  const hasSeconds = at % minute !== 0 && at % second === 0;
  return formatOf(hasSeconds ? 'seconds' : 'time', zone).format(at);
}

/** Writes the time of a day with its second: `14:05:09`. */
export function secondText(at: number, zone = ownZone): string {
  return formatOf('seconds', zone).format(at);
}

/** Writes a day: `Mon 23 Nov`. */
export function dayText(at: number, zone = ownZone): string {
  return formatOf('day', zone).format(at).replace(',', '');
}

/** Writes a day beside its month: `Mon 23`. */
export function shortDayText(at: number, zone = ownZone): string {
  return formatOf('shortDay', zone).format(at);
}

/** Writes a month: `November 2026`. */
export function monthText(at: number, zone = ownZone): string {
  return formatOf('month', zone).format(at);
}

/** Writes a time in full, with its zone. */
export function exactText(at: number, zone = ownZone): string {
  return formatOf('exact', zone).format(at);
}

/** From how far away a day has its year. */
const yearFrom = 300 * day;

/** Writes a time with its day, where that is not today: `14:05`, `yesterday 14:05`, `Mon 23 Nov 14:05`, `1 Jan 2099 14:05`. */
export function momentText(at: number, now: number, zone = ownZone): string {
  const { time } = words.value;
  if (Math.abs(at - now) > yearFrom) return `${formatOf('date', zone).format(at)} ${timeText(at, zone)}`;
  const days: readonly (readonly [number, string])[] = [
    [0, ''],
    [-day, time.yesterday],
    [day, time.tomorrow],
  ];
  const named = days.find(([offset]) => dayText(now + offset, zone) === dayText(at, zone));
  return `${named ? named[1] : dayText(at, zone)} ${timeText(at, zone)}`.trim();
}
