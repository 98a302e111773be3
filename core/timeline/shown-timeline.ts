import { formatInstant } from '../time/instant.ts';
import type { Timeline } from './timeline.ts';

/** Returns a timeline as channels show it: the times that the others count from are texts. */
export function shownTimeline({ time, from, to, ...timeline }: Timeline): Readonly<Record<string, unknown>> {
  return { time: formatInstant(time), from: formatInstant(from), to: formatInstant(to), ...timeline };
}
