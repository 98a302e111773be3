import { now } from '../data/clock.ts';
import { exactText, momentText, ownZone, relativeText, timeText } from './times.ts';

interface WhenProps {
  /** As the API writes it. */
  readonly at: string;
  /** `relative` = from now on; `moment` = the time, with its day where that is not today; `time` = that of its day. @default relative */
  readonly as?: 'relative' | 'moment' | 'time';
}

/** A time: short, and in full on hover and focus, and for screen readers. */
export function When({ at, as = 'relative' }: WhenProps) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <>–</>;
  const text =
    as === 'time' ? timeText(time) : as === 'relative' ? relativeText(time, now.value) : momentText(time, now.value);
  return (
    <time dateTime={at} title={`${exactText(time)} (${ownZone})`}>
      {text}
    </time>
  );
}
