import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Clause } from '../parts/clause.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';

/** A machine without the database that is alive and runs jobs. */
export interface LiveAgent {
  readonly name: string;
  readonly pools: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** 0 = it takes no further jobs. */
  readonly slots: number;
  readonly used_slots: number;
  readonly version: string | null;
  readonly seen_at: string;
}

/** Jobs of a pool that are due and that no agent runs. */
export interface UnservedPool {
  readonly pool: string;
  readonly due: number;
  readonly reason: string;
}

interface AgentsProps {
  readonly agents: readonly LiveAgent[];
  readonly unserved: readonly UnservedPool[];
}

/** The agents that are alive, and the pools with due jobs that none of them runs. */
export function Agents({ agents, unserved }: AgentsProps) {
  const text = words.value.agents;
  const steady = useSteady(agents, ({ name }) => name);
  const steadyPools = useSteady(unserved, ({ pool, reason }) => `${pool} ${reason}`);
  return (
    <>
      <h2>{text.name}</h2>
      <p class="sub">{text.about(agents.length)}</p>
      {unserved.length > 0 && (
        <div class="workers">
          <Rows of={steadyPools} label={text.unserved}>
            {({ pool, due, reason }) => (
              <Row key={`${pool} ${reason}`} state="overdue" title={text.pool(pool)} under={text.due(due)}>
                <Clause of={reason} />
              </Row>
            )}
          </Rows>
        </div>
      )}
      {agents.length > 0 && (
        <div class="workers">
          <Rows of={steady} label={text.name}>
            {(agent) => <AgentRow key={agent.name} of={agent} />}
          </Rows>
        </div>
      )}
    </>
  );
}

function AgentRow({ of }: { readonly of: LiveAgent }) {
  const { agents: text, workers, states, plugins } = words.value;
  const { name, pools, labels, slots, used_slots, version, seen_at } = of;
  const places = [pools.join(', '), ...Object.entries(labels).map(([label, value]) => `${label}=${value}`)];
  return (
    <Row state="alive" title={name} under={<bdi>{places.join(' · ')}</bdi>}>
      {states['alive']}, <Sentence of={text.seen} with={{ when: <When at={seen_at} as="moment" /> }} />
      {version !== null && `, ${plugins.version(version)}`}
      <small>{slots === 0 ? text.takesNone(used_slots) : workers.jobs(used_slots, slots)}</small>
    </Row>
  );
}
