import { announce } from '../data/live.ts';
import { mayIn } from '../data/may.ts';
import { request } from '../data/request.ts';
import { Act } from '../parts/act.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import type { EventRow } from './event.ts';
import { eventText } from './event-sentence.tsx';

interface RetryEventProps {
  readonly of: EventRow;
  /** Whether it is the only one of the page. @default false */
  readonly alone?: boolean;
}

/** Tries the rules of an event again that was set aside. It is shown to those who may. */
export function RetryEvent({ of: event, alone = false }: RetryEventProps) {
  const text = words.value.events;
  const { id, state, company_id } = event;
  if (state !== 'set_aside' || !mayIn(company_id, 'operator')) return null;
  return (
    <Act
      shortcut="r"
      {...(!alone && { label: `${text.retry}: ${eventText(event)}` })}
      act={async () => {
        await request(`/event/${id}/retry.json`, { method: 'POST' });
        announce('Event', id);
        say(text.retried);
      }}
    >
      {text.retry}
    </Act>
  );
}
