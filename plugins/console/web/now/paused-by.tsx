import { now } from '../data/clock.ts';
import { momentText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import type { PauseInForce } from './answers.ts';

/** Who has paused something, until when, and why. */
export function PausedBy({ of: { paused_by, until, reason } }: { readonly of: PauseInForce }) {
  const text = words.value.now;
  return (
    <>
      {text.pausedBy(paused_by, until === null ? null : momentText(Date.parse(until), now.value))},{' '}
      {text.quoted(reason)}
    </>
  );
}
