import { hrefOf } from '../../app/router.ts';
import { useLive } from '../../data/answer.ts';
import { Clause } from '../../parts/clause.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Name } from '../../parts/name.tsx';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';

interface DeliveryRow {
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  readonly endpoint: string;
  readonly state: string;
  readonly delivered_at: string | null;
  readonly error: string | null;
  readonly reason: string | null;
}

interface EventRow {
  readonly id: number;
  readonly jobs?: readonly {
    readonly id: number;
    readonly task_id: number | null;
    readonly runtemplate_id: number;
    readonly state: string;
  }[];
}

interface CausedProps {
  /** The filter of the API that finds them: `task_id=12`. */
  readonly of: string;
  /** Deliveries are of Tasks alone. */
  readonly hasDeliveries: boolean;
}

/** What a run has caused: who was told, and which jobs its end has started. */
export function Caused({ of, hasDeliveries }: CausedProps) {
  const text = words.value.runs;
  const deliveries = useLive<readonly DeliveryRow[]>(
    hasDeliveries ? `/deliveries.json?${of}&limit=20&order=id` : null,
    { kinds: ['Delivery'] },
  ).value;
  const events = useLive<readonly EventRow[]>(`/events.json?${of}&limit=20`, { kinds: ['Event'] }).value;
  const ids = (events ?? []).map(({ id }) => id).join();
  const jobs = useLive<readonly NonNullable<EventRow['jobs']>[number][]>(
    ids === '' ? null : `/jobs.json?event_id=${ids}&limit=20&order=id`,
    { kinds: ['Job'] },
  ).value;
  const count = (deliveries?.length ?? 0) + (jobs?.length ?? 0);
  if (count === 0) return null;
  return (
    <section aria-label={text.caused}>
      <h2>
        {text.caused} <span>{words.value.number(count)}</span>
      </h2>
      <ul class="rows plain-rows">
        {deliveries?.map(({ id, action, endpoint, state, created_at, delivered_at, error, reason }) => (
          <li key={id}>
            <Dot state={state} named={false} />
            <div class="what">
              <bdi>{endpoint === '' ? action : endpoint}</bdi>
              <small>
                {words.value.states[state] ?? state} <When at={delivered_at ?? created_at} as="moment" />
                {state !== 'delivered' && (error ?? reason) !== null && (
                  <>
                    : <Clause of={error ?? reason ?? ''} />
                  </>
                )}
              </small>
            </div>
          </li>
        ))}
        {jobs?.map(({ id, task_id, runtemplate_id, state }) => (
          <li key={id}>
            <Dot state={state} named={false} />
            <div class="what">
              <a href={hrefOf(task_id === null ? `/jobs/${id}` : `/runs/${task_id}?attempt=${id}`)}>
                <Name of="RunTemplate" id={runtemplate_id} />
              </a>
              <small>{words.value.states[state] ?? state}</small>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
