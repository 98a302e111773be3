import { now } from '../data/clock.ts';
import { Clause, clauseOr } from '../parts/clause.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { spanText } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import type { DeliveryRow } from './delivery.ts';

/** What became of a delivery: whether it arrived, or why not and what follows. */
export function DeliveryOutcome({ of }: { readonly of: DeliveryRow }) {
  const text = words.value.deliveries;
  const { state, attempts, created_at, next_at, delivered_at, error, reason } = of;
  const isDue = next_at !== null && Date.parse(next_at) <= now.value;
  if (state === 'delivered')
    return (
      <>
        {text.stateNames[state]}
        {attempts > 1 && (
          <small>
            {text.attempts(attempts)}
            {delivered_at !== null && `, ${text.later(spanText(Date.parse(delivered_at) - Date.parse(created_at)))}`}
          </small>
        )}
      </>
    );
  return (
    <>
      {error === null ? (
        clauseOr(reason, text.pending)
      ) : (
        <span class={state === 'failed' ? 'mistake' : undefined}>
          <Clause of={error} />
        </span>
      )}
      <small>
        {attempts > 0 && `${text.attempts(attempts)}, `}
        {attempts > 0 && state === 'failed' && text.gaveUp}
        {state === 'pending' && next_at !== null && (
          <Sentence of={text.next} with={{ when: isDue ? words.value.time.now : <When at={next_at} /> }} />
        )}
      </small>
    </>
  );
}
