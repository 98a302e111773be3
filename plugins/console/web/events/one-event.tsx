import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Clause, clauseOr } from '../parts/clause.tsx';
import { Dot } from '../parts/dot.tsx';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type CausedJob, type EventRow, eventInterval } from './event.ts';
import { viewOfJob } from './event-outcome.tsx';
import { EventSentence } from './event-sentence.tsx';
import { RetryEvent } from './retry-event.tsx';

/** One event: what its source reported, and what it caused. */
export function OneEvent({ parts: [id] }: { readonly parts: readonly string[] }) {
  const event = useLive<EventRow>(`/event/${id}.json`, { kinds: ['Event'], every: eventInterval });
  return <Answered of={event}>{(value) => <Page key={value.id} event={value} />}</Answered>;
}

function Page({ event }: { readonly event: EventRow }) {
  const text = words.value.events;
  const { id, state, reason, attempts, kind, key } = event;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/events')}>{words.value.nav.events}</a>
      </p>
      <h1>
        <EventSentence of={event} />
        {state === 'set_aside' && (
          <>
            {': '}
            <b>{text.stateNames[state]}</b>
          </>
        )}
      </h1>
      <p class="sub">
        <When at={event.created_at} as="moment" />, {clauseOr(reason, text.stateNames[state])}
        {attempts > 1 && `, ${text.attempts(attempts)}`}
      </p>
      <div class="acts">
        <RetryEvent of={event} alone />
      </div>
      <h2>{text.whatItCaused}</h2>
      <Caused id={id} />
      <h2>{text.facts}</h2>
      <Facts
        of={[
          [text.source, linkTo('EventSource', event.event_source_id)],
          [text.template, linkTo('RunTemplate', event.runtemplate_id)],
          [text.run, linkTo('Task', event.task_id)],
          [text.attempt, linkTo('Job', event.job_id)],
          [text.company, linkTo('Company', event.company_id)],
          [text.evidence, bdi(event.evidence)],
          [text.operation, bdi(event.operation)],
          [text.record, bdi(event.record_id)],
          [text.key, bdi(key)],
          [text.id, id],
        ]}
      />
      {kind === 'source' && isAdmin() && <Payload id={id} />}
    </>
  );
}

function linkTo(kind: 'EventSource' | 'RunTemplate' | 'Task' | 'Job' | 'Company', id: number | null) {
  return id === null ? null : <Name key={kind} of={kind} id={id} link />;
}

function bdi(value: string | null) {
  return value === null ? null : <bdi key={value}>{value}</bdi>;
}

function Caused({ id }: { readonly id: number }) {
  const text = words.value.events;
  const jobs = useLive<readonly CausedJob[]>(`/jobs.json?event_id=${id}&limit=1000&order=id`, {
    kinds: ['Job'],
    every: eventInterval,
  });
  return (
    <Answered of={jobs}>
      {(rows) => (rows.length === 0 ? <p class="soft">{text.causedNothing}</p> : <Jobs rows={rows} />)}
    </Answered>
  );
}

function Jobs({ rows }: { readonly rows: readonly CausedJob[] }) {
  const text = words.value.events;
  const steady = useSteady(rows, (job) => job.id);
  return (
    <div class="stream">
      <Rows of={steady} label={text.whatItCaused}>
        {(job) => (
          <Row
            key={job.id}
            lead={<Dot state={job.state} />}
            title={<Name of="RunTemplate" id={job.runtemplate_id} />}
            href={hrefOf(viewOfJob(job))}
            under={<When at={job.scheduled_at} as="moment" />}
          >
            {words.value.states[job.state] ?? job.state}
            {job.reason !== null && (
              <>
                : <Clause of={job.reason} />
              </>
            )}
          </Row>
        )}
      </Rows>
    </div>
  );
}

/** What the source reported of the change, which admins may read. */
function Payload({ id }: { readonly id: number }) {
  const text = words.value.events;
  const payload = useLive<Readonly<Record<string, unknown>>>(`/event/${id}/payload.json`);
  return (
    <>
      <h2>{text.payload}</h2>
      <Answered of={payload}>
        {(value) =>
          Object.keys(value).length === 0 ? (
            <p class="soft">{text.noPayload}</p>
          ) : (
            <pre class="value">{JSON.stringify(value, null, 2)}</pre>
          )
        }
      </Answered>
    </>
  );
}
