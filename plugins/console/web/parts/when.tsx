import { now } from '../data/clock.ts';
import { exactText, momentText, ownZone, relativeText, timeText } from './times.ts';

interface WhenProps {
  /** As the API writes it. */
  readonly at: string;
  /** `relative` = from now on; `ahead` = the same of what comes next, at the least now; `moment` = the time, with its day where that is not today; `time` = that of its day. @default relative */
  readonly as?: 'relative' | 'ahead' | 'moment' | 'time';
}

/** A time: short, and in full on hover and focus, and for screen readers. */
export function When({ at, as = 'relative' }: WhenProps) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <>–</>;
  const texts = {
    relative: () => relativeText(time, now.value),
    ahead: () => relativeText(Math.max(time, now.value), now.value),
    moment: () => momentText(time, now.value),
    time: () => timeText(time),
  };
  return (
    <time dateTime={at} title={`${exactText(time)} (${ownZone})`}>
      {texts[as]()}
    </time>
  );
}
