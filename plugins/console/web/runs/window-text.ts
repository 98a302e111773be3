import { dayText, momentText, ownZone, secondText, timeText } from '../parts/times.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Writes the window of a run: `Mon 23 Nov, 12:00 – 14:00`, or its days alone where it begins and ends with one. */
export function windowText(start: number, end: number, zone = ownZone): string {
  const time = timeIn(start, end, zone);
  const isOfDays = [start, end].every((at) => secondText(at, zone) === '00:00:00');
  if (isOfDays && end - start < 1.5 * day) return dayText(start, zone);
  if (isOfDays) return `${dayText(start, zone)} – ${dayText(end, zone)}`;
  const last = dayText(end, zone) === dayText(start, zone) ? time(end) : `${dayText(end, zone)}, ${time(end)}`;
  return `${dayText(start, zone)}, ${time(start)} – ${last}`;
}

/** Writes the window of a run in a list: its day is left out where it is today. */
export function shortWindowText(start: number, end: number, now: number): string {
  const time = timeIn(start, end, ownZone);
  if (end - start >= 0.9 * day) return windowText(start, end);
  return `${momentText(start, now).replace(/\S+$/, time(start))} – ${time(end)}`;
}

/** Windows that do not begin and end with a minute are written with their seconds. */
function timeIn(start: number, end: number, zone: string): (at: number) => string {
  const isOfMinutes = start % minute === 0 && end % minute === 0;
  return (at) => (isOfMinutes ? timeText(at, zone) : secondText(at, zone));
}
