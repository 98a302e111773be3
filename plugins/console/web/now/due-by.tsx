import { now } from '../data/clock.ts';
import { exactText, momentText } from '../parts/times.ts';
import { words } from '../words/words.ts';

/** By when a run must have succeeded. */
export function DueBy({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactText(time)}>
      {words.value.time.dueBy(momentText(time, now.value))}
    </time>
  );
}
