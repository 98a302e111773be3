import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { Choice, SelectFilter } from '../lists/choice.tsx';
import { PeriodFilter } from '../lists/period.tsx';
import { RecordFilter } from '../lists/record-filter.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Stream } from '../lists/stream.tsx';
import { Dot } from '../parts/dot.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type CausedJob, type EventRow, eventInterval } from './event.ts';
import { EventOutcome } from './event-outcome.tsx';
import { EventSentence } from './event-sentence.tsx';
import { RetryEvent } from './retry-event.tsx';

const parameters = ['state', 'kind', 'event_source_id', 'runtemplate_id', 'after'];
const live = { kinds: ['Event'], every: eventInterval };

/** What happened, and what it caused: the newest first. */
export function Events() {
  const text = words.value.events;
  return (
    <Stream<EventRow>
      list="events"
      parameters={parameters}
      live={live}
      text={text}
      needing={{ state: 'set_aside', sentence: text.setAside }}
      filters={
        <>
          <Choice name="state" label={text.state} options={text.states} />
          <SelectFilter name="kind" label={text.kind} options={text.kinds} />
          <RecordFilter name="event_source_id" label={text.source} of="EventSource" />
          <RecordFilter name="runtemplate_id" label={text.template} of="RunTemplate" />
          <PeriodFilter />
        </>
      }
      begin={
        isAdmin() && (
          <>
            <a class="button" href={hrefOf('/manage/eventsources/new')}>
              {text.addSource}
            </a>
            <a class="button" href={hrefOf('/manage/eventrules/new')}>
              {text.addRule}
            </a>
          </>
        )
      }
    >
      {(rows) => <List rows={rows} />}
    </Stream>
  );
}

function List({ rows }: { readonly rows: readonly EventRow[] }) {
  const text = words.value.events;
  const steady = useSteady(rows, ({ id }) => id);
  const ids = rows.map(({ id }) => id).join();
  const caused = useLive<readonly CausedJob[]>(`/jobs.json?event_id=${ids}&limit=1000&order=id`, { kinds: ['Job'] });
  const jobsByEvent = Map.groupBy(caused.value ?? [], ({ event_id }) => event_id);
  return (
    <Rows of={steady} label={text.title}>
      {(event) => (
        <Row
          key={event.id}
          lead={<Dot state={event.state} />}
          title={<EventSentence of={event} />}
          href={hrefOf(`/events/${event.id}`)}
          under={
            <>
              <When at={event.created_at} />
              {event.company_id !== null && (
                <>
                  {' · '}
                  <Name of="Company" id={event.company_id} />
                </>
              )}
            </>
          }
          acts={<RetryEvent of={event} />}
        >
          <EventOutcome of={event} jobs={jobsByEvent.get(event.id) ?? []} />
        </Row>
      )}
    </Rows>
  );
}
