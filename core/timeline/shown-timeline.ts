import type { Instant } from '../loop/clock.ts';
import { formatInstant } from '../time/instant.ts';
import type { Outlook } from './outlook.ts';
import type { Timeline } from './timeline.ts';

/** Returns a timeline as channels show it: the times that the others count from are texts. */
export function shownTimeline({ time, from, to, ...timeline }: Timeline): Readonly<Record<string, unknown>> {
  return { time: formatInstant(time), from: formatInstant(from), to: formatInstant(to), ...timeline };
}

/** Returns an outlook as channels show it: its times are texts. */
export function shownOutlook({
  time,
  from,
  rest_of_day,
  next,
  ...outlook
}: Outlook): Readonly<Record<string, unknown>> {
  const text = (at: Instant | null) => (at === null ? null : formatInstant(at));
  return {
    time: text(time),
    from: text(from),
    ...outlook,
    rest_of_day: { ...rest_of_day, deadline: text(rest_of_day.deadline) },
    next: next.map((run) => ({ ...run, at: text(run.at), deadline: text(run.deadline) })),
  };
}
