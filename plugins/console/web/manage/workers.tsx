import { useLive } from '../data/answer.ts';
import { now } from '../data/clock.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { Agents, type LiveAgent, type UnservedPool } from './agents.tsx';
import { ManageCrumbs } from './crumbs.tsx';

interface Worker {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: string;
  readonly lease_until: string;
  readonly lost_at: string | null;
  readonly capacity: number;
  readonly used_slots: number;
}

interface Status {
  /** Only admins see them. */
  readonly workers?: readonly Worker[];
  /** Left out where agents run no jobs. */
  readonly agents?: readonly LiveAgent[];
  readonly unserved_pools?: readonly UnservedPool[];
}

/** How often the leases are read, in milliseconds: the audit log tells of none. */
const interval = 5000;

/** The processes that run jobs, by their hosts, and whether each is alive; below them the agents. */
export function Workers() {
  const text = words.value.workers;
  const status = useLive<Status>('/status.json', { every: interval });
  const workers = (status.value?.workers ?? []).toSorted((one, other) => one.host.localeCompare(other.host));
  const steady = useSteady(workers, ({ name }) => name);
  const alive = workers.filter((worker) => stateOf(worker) === 'alive').length;
  const hosts = new Set(workers.map(({ host }) => host)).size;
  return (
    <>
      <ManageCrumbs />
      <Answered of={status}>
        {(value) => (
          <>
            <h1>{value.workers ? text.title(alive, workers.length) : text.name}</h1>
            <p class="sub">{value.workers ? text.about(hosts) : text.denied}</p>
            {workers.length > 0 && (
              <div class="workers">
                <Rows of={steady} label={text.name}>
                  {(worker) => <WorkerRow key={worker.name} of={worker} />}
                </Rows>
              </div>
            )}
            {value.agents && <Agents agents={value.agents} unserved={value.unserved_pools ?? []} />}
          </>
        )}
      </Answered>
    </>
  );
}

function WorkerRow({ of }: { readonly of: Worker }) {
  const { workers: text, states } = words.value;
  const { host, pid, started_at, lease_until, lost_at, capacity, used_slots } = of;
  const state = stateOf(of);
  const sentence = lost_at !== null ? text.lost : state === 'alive' ? text.since : text.silent;
  const at = lost_at ?? (state === 'alive' ? started_at : lease_until);
  return (
    <Row state={state} title={host} under={text.process(pid)}>
      {states[state]}, <Sentence of={sentence} with={{ when: <When at={at} as="moment" /> }} />
      <small>{capacity === 0 ? text.noJobs : text.jobs(used_slots, capacity)}</small>
    </Row>
  );
}

/** A worker that does not renew its lease is silent; it is lost once its jobs were marked so. */
function stateOf({ lease_until, lost_at }: Worker): 'alive' | 'silent' | 'lost' {
  if (lost_at !== null) return 'lost';
  return Date.parse(lease_until) > now.value ? 'alive' : 'silent';
}
