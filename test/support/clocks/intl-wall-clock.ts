/** The local date and time of a zone by Intl alone: an oracle that shares nothing with the code under test. */
export interface WallClockTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, kind: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`;
  const made = formats.get(key) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...options });
  formats.set(key, made);
  return made;
}

export function wallClockAt(zone: string, instant: number): WallClockTime {
  const parts = format(zone, 'all', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const number = (type: string) => Number(part(type));
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    weekday: part('weekday'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  };
}

/** The local time as `HH:MM:SS`; far cheaper than all the fields. */
export function wallTimeAt(zone: string, instant: number): string {
  return format(zone, 'time', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(instant);
}

/** The local time minus UTC, in milliseconds. */
export function utcOffsetAt(zone: string, instant: number): number {
  const { year, month, day, hour, minute, second } = wallClockAt(zone, instant);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

export const everyZone = Intl.supportedValuesOf('timeZone');
