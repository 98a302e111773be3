import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { Dot } from '../parts/dot.tsx';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type DeliveryRow, deliveryInterval, type Notice } from './delivery.ts';
import { NoticeSentence } from './notice-sentence.tsx';
import { RetryDelivery } from './retry-delivery.tsx';

interface WholeDelivery extends DeliveryRow {
  readonly notice: Notice;
}

/** One delivery: what it tells, to whom, and what became of it. */
export function OneDelivery({ parts: [id] }: { readonly parts: readonly string[] }) {
  const delivery = useLive<WholeDelivery>(`/delivery/${id}.json`, { kinds: ['Delivery'], every: deliveryInterval });
  return <Answered of={delivery}>{(value) => <Page key={value.id} delivery={value} />}</Answered>;
}

function Page({ delivery }: { readonly delivery: WholeDelivery }) {
  const text = words.value.deliveries;
  const { notice, state } = delivery;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/deliveries')}>{words.value.nav.deliveries}</a>
      </p>
      <h1>
        {state === 'failed' ? <b>{text.stateTitles[state]}</b> : text.stateTitles[state]}{' '}
        <NoticeSentence of={delivery} name={notice.runtemplate.name} />
      </h1>
      <p class="sub">
        <When at={delivery.created_at} as="moment" />, {text.by(delivery.action)} → <bdi>{delivery.endpoint}</bdi>
      </p>
      <div class="acts">
        <RetryDelivery of={delivery} alone />
      </div>
      <div class="wide">
        <section>
          <h2>{text.notice}</h2>
          <NoticeFacts of={notice} />
          <details>
            <summary>{text.json}</summary>
            <pre class="value">{JSON.stringify(notice, null, 2)}</pre>
          </details>
        </section>
        <section>
          <h2>{text.facts}</h2>
          <DeliveryFacts of={delivery} />
        </section>
      </div>
    </>
  );
}

function NoticeFacts({ of: notice }: { readonly of: Notice }) {
  const text = words.value.deliveries;
  const { task, job, failures, failing_since } = notice;
  return (
    <Facts
      of={[
        [text.why, notice.reason === null ? null : <Clause key="why" of={notice.reason} />],
        [text.at, <When key="at" at={notice.occurred_at} as="moment" />],
        [words.value.events.template, <Name key="template" of="RunTemplate" id={notice.runtemplate.id} link />],
        [text.company, <Name key="company" of="Company" id={notice.company.id} link />],
        [text.app, <Name key="app" of="App" id={notice.app.id} link />],
        [
          text.window,
          task && (
            <a key="run" href={hrefOf(`/runs/${task.id}`)}>
              <When at={task.window_start} as="moment" /> – <When at={task.window_end} as="moment" />
            </a>
          ),
        ],
        [text.due, task && <When key="due" at={task.deadline} as="moment" />],
        [
          text.runState,
          task && (
            <span key="state">
              <Dot state={task.state} named={false} /> {words.value.states[task.state] ?? task.state}
            </span>
          ),
        ],
        [
          text.attempt,
          job && (
            <a key="job" href={hrefOf(task ? `/runs/${task.id}` : `/jobs/${job.id}`)}>
              {job.attempt}
            </a>
          ),
        ],
        [text.exit, job?.exit_code],
        [text.signal, job?.signal],
        [
          text.inRow,
          failing_since === null ? null : (
            <span key="failures">
              {text.failures(failures)}
              <When at={failing_since} as="moment" />
            </span>
          ),
        ],
      ]}
    />
  );
}

function DeliveryFacts({ of: delivery }: { readonly of: DeliveryRow }) {
  const text = words.value.deliveries;
  const { next_at, delivered_at, digest_id, state, response } = delivery;
  return (
    <Facts
      of={[
        [
          text.state,
          <span key="state">
            <Dot state={state} named={false} /> {text.stateNames[state]}
          </span>,
        ],
        [text.error, delivery.error === null ? null : <Clause key="error" of={delivery.error} />],
        [text.reason, delivery.reason && <Clause key="reason" of={delivery.reason} />],
        [text.tried, delivery.attempts],
        [text.nextAt, next_at === null ? null : <When key="next" at={next_at} />],
        [text.arrivedAt, delivered_at === null ? null : <When key="arrived" at={delivered_at} as="moment" />],
        [text.status, delivery.status],
        [text.response, response === null || response === '' ? null : <pre class="value">{response}</pre>],
        [text.action, delivery.action],
        [text.receiver, <bdi key="receiver">{delivery.endpoint}</bdi>],
        [text.owner, text.owners[delivery.owner] ?? delivery.owner],
        [
          text.digest,
          digest_id === null ? null : (
            <a key="digest" href={hrefOf(`/deliveries/${digest_id}`)}>
              {text.digestNotice}
            </a>
          ),
        ],
        [text.message, <code key="message">{delivery.message_id}</code>],
        [text.id, delivery.id],
      ]}
    />
  );
}
