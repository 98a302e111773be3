import { hrefOf } from '../app/router.ts';
import { type Live, type Page, useLive, useLivePage } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { Choice, SelectFilter } from '../lists/choice.tsx';
import { narrowedList, pathOfList } from '../lists/narrowed.ts';
import { Pages } from '../lists/pages.tsx';
import { PeriodFilter, startOfToday } from '../lists/period.tsx';
import { RecordFilter } from '../lists/record-filter.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Dot } from '../parts/dot.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type CausedJob, type EventRow, eventInterval } from './event.ts';
import { EventOutcome } from './event-outcome.tsx';
import { EventSentence } from './event-sentence.tsx';
import { RetryEvent } from './retry-event.tsx';

const filters = ['state', 'kind', 'event_source_id', 'runtemplate_id', 'after'];
const options = { kinds: ['Event'], every: eventInterval };

/** What happened, and what it caused: the newest first. */
export function Events() {
  const { path, isNarrowed } = narrowedList('events', filters);
  const page = useLivePage<EventRow>(path, options);
  return (
    <>
      <Headline page={page} isNarrowed={isNarrowed} />
      <Filters />
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length === 0 ? <Nothing isNarrowed={isNarrowed} /> : <List key={path} rows={value.rows} />}
            <Pages of={value} />
          </>
        )}
      </Answered>
    </>
  );
}

function Headline({ page, isNarrowed }: { readonly page: Live<Page<EventRow>>; readonly isNarrowed: boolean }) {
  const text = words.value.events;
  const today = useLivePage<EventRow>(
    isNarrowed ? null : pathOfList('events', { limit: '1', from: startOfToday() }),
    options,
  );
  const setAside = useLivePage<EventRow>(pathOfList('events', { limit: '1', state: 'set_aside' }), options);
  const count = isNarrowed ? page.value?.total : today.value?.total;
  const setAsideCount = setAside.value?.total ?? '0';
  return (
    <>
      <h1>
        {count === undefined ? text.title : isNarrowed ? text.found(count) : text.today(count)}{' '}
        {setAsideCount !== '0' && (
          <b>
            <a href={hrefOf('/events?state=set_aside')}>{text.setAside(setAsideCount)}</a>
          </b>
        )}
      </h1>
      <p class="sub">{text.about}</p>
    </>
  );
}

function Filters() {
  const text = words.value.events;
  return (
    <div class="filters">
      <Choice name="state" label={text.state} options={text.states} />
      <SelectFilter name="kind" label={text.kind} options={text.kinds} />
      <RecordFilter name="event_source_id" label={text.source} of="EventSource" list="/eventsources.json" />
      <RecordFilter name="runtemplate_id" label={text.template} of="RunTemplate" list="/runtemplates.json" />
      <PeriodFilter />
    </div>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const text = words.value.events;
  if (isNarrowed) return <p class="soft">{text.none}</p>;
  return (
    <>
      <p class="soft">{text.noneYet}</p>
      {isAdmin() && (
        <p class="acts">
          <a class="button" href={hrefOf('/manage/eventsources/new')}>
            {text.addSource}
          </a>
          <a class="button" href={hrefOf('/manage/eventrules/new')}>
            {text.addRule}
          </a>
        </p>
      )}
    </>
  );
}

function List({ rows }: { readonly rows: readonly EventRow[] }) {
  const text = words.value.events;
  const steady = useSteady(rows, ({ id }) => id);
  const ids = rows.map(({ id }) => id).join();
  const caused = useLive<readonly CausedJob[]>(`/jobs.json?event_id=${ids}&limit=1000&order=id`, { kinds: ['Job'] });
  const jobsByEvent = Map.groupBy(caused.value ?? [], ({ event_id }) => event_id);
  return (
    <div class="stream">
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
    </div>
  );
}
