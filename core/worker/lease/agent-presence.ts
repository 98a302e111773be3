import { array, number, string } from 'yup';
import {
  hasLabels,
  labelName,
  labelValue,
  type Placement,
  placeName,
  readPlacement,
} from '../../executor/placement.ts';
import { count, flag, instant, text, texts } from '../../field/fields.ts';
import { json, mapOf } from '../../field/structured.ts';
import type { Instant, Milliseconds } from '../../loop/clock.ts';
import type { Tables } from '../../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../../store/table.ts';
import { day } from '../../time/duration.ts';

/** An agent as it was seen last: hosts write it now and then, so that each process knows which agents are alive. */
export const AgentPresence = defineBookkeeping({
  name: 'AgentPresence',
  fields: {
    agent: text(63, { unique: true }).required(),
    /** The companies whose jobs it runs in each of its pools; null = all of them. */
    pools: json(
      mapOf(array().of(number().integer().required()).nullable(), {
        pattern: placeName,
        description: 'the name of a pool',
      }),
      {},
    ),
    labels: json(
      mapOf(string().matches(labelValue).defined(), { pattern: labelName, description: 'the name of a label' }),
      {},
    ),
    executors: texts(65_535),
    slots: count(0, { description: 'How many jobs it runs at once; 0 = it takes no further ones.' }),
    version: text(64),
    seen_at: instant({ description: 'When it was seen last.' }).required(),
    stopped: flag(false, { description: 'Whether it said that it ends, as it does where it is asked to.' }),
    second_process_at: instant({
      description: 'When it was heard last that another process uses its credential, whose messages do not count.',
    }),
    alive_until: instant({ indexed: true, description: 'It is alive until then, unless it is seen again.' }).required(),
  },
});
export type AgentPresenceRow = RowOfTable<typeof AgentPresence>;

type Unsaid = 'seen_at' | 'stopped' | 'second_process_at';

/** How an agent shows itself: as alive at this moment, unless it says otherwise. */
export type SeenAgent = Omit<AgentPresenceRow, 'id' | Unsaid> & Partial<Pick<AgentPresenceRow, Unsaid>>;

/** How long an agent is remembered that was not seen again. */
const rememberedFor: Milliseconds = 366 * day;

/** Writes how these agents show themselves, and forgets those that have been gone for a year. */
export async function writePresence(tables: Tables, agents: readonly SeenAgent[]): Promise<void> {
  if (agents.length === 0) return;
  const now = await tables.now();
  await tables.of(AgentPresence).delete([['alive_until', '<', now - rememberedFor]]);
  const names = agents.map(({ agent }) => agent);
  const known = await tables.of(AgentPresence).find({ where: [['agent', 'in', names]] });
  const byName = new Map(agents.map((agent) => [agent.agent, { stopped: false, seen_at: now, ...agent }]));
  await tables.of(AgentPresence).update(known.map((row) => ({ row, set: byName.get(row.agent) ?? {} })));
  for (const { agent } of known) byName.delete(agent);
  const rows = [...byName.values()].map((agent) => newRow(AgentPresence, agent));
  if (rows.length > 0) await tables.of(AgentPresence).insertAbsent(rows, ['agent']);
}

/** Reads the agents that are alive, by their names. */
export function readLiveAgents(tables: Tables, now: Instant): Promise<AgentPresenceRow[]> {
  return tables.of(AgentPresence).find({ where: [['alive_until', '>', now]], order: [['agent', 'asc']] });
}

/** How an agent is, by what the store has of it. */
export interface AgentHealth {
  readonly presence: AgentPresenceState;
  /** Null = it was never seen. */
  readonly seen_at: Instant | null;
  /** When it was heard last that another process uses its credential. */
  readonly second_process_at: Instant | null;
}

export const agentPresenceStates = ['alive', 'silent', 'stopped', 'never seen'] as const;
export type AgentPresenceState = (typeof agentPresenceStates)[number];

/** Reads how agents are. @param agents by name; what was seen before one was created was another one of its name. */
export async function readAgentHealth(
  tables: Tables,
  agents: readonly { readonly name: string; readonly created_at: Instant }[],
): Promise<AgentHealth[]> {
  const now = await tables.now();
  const names = agents.map(({ name }) => name);
  const found = await tables.of(AgentPresence).find({ where: [['agent', 'in', names]] });
  const byName = new Map(found.map((row) => [row.agent, row]));
  return agents.map(({ name, created_at }) => {
    const row = byName.get(name);
    if (!row || row.seen_at < created_at) return { presence: 'never seen', seen_at: null, second_process_at: null };
    const { seen_at, second_process_at, stopped, alive_until } = row;
    const presence = stopped ? 'stopped' : alive_until > now ? 'alive' : 'silent';
    return { presence, seen_at, second_process_at };
  });
}

/** The agents that may run a job. */
export interface SuitableAgents {
  /** Those that take jobs, as the workers that they are. */
  readonly workers: readonly { readonly name: string; readonly capacity: number }[];
  /** Why there are none, as a clause without a full stop; null = there are some. */
  readonly missing: string | null;
}

/** Jobs of a company at a placement. */
interface PlacedJobs {
  readonly placement: string;
  readonly company_id: number;
}

/** Reads which of the agents that are alive may run jobs of a company at a placement. */
export async function readSuitableAgents(tables: Tables, jobs: PlacedJobs, now: Instant): Promise<SuitableAgents> {
  return suitableAgents(await readLiveAgents(tables, now), jobs);
}

/** Returns which of the agents that are alive may run jobs of a company at a placement. */
export function suitableAgents(
  alive: readonly AgentPresenceRow[],
  { placement: written, company_id: company }: PlacedJobs,
): SuitableAgents {
  const placement = readPlacement(written);
  const { pool } = placement;
  const ofPool = alive.filter(({ pools }) => Object.hasOwn(pools, pool));
  const missing = (reason: string): SuitableAgents => ({ workers: [], missing: reason });
  if (ofPool.length === 0) return missing(`no agent of the pool ${pool} is alive: start one`);
  const ofCompany = ofPool.filter(({ pools }) => pools[pool]?.includes(company) ?? true);
  if (ofCompany.length === 0) return missing(`the pool ${pool} is not for jobs of company ${company}`);
  const able = ofCompany.filter(({ executors }) => executors.includes(placement.executor));
  if (able.length === 0)
    return missing(`no agent of the pool ${pool} that is alive has the executor ${placement.executor}`);
  const suitable = able.filter(({ labels }) => hasLabels(labels, placement.labels));
  if (suitable.length === 0)
    return missing(`no agent of the pool ${pool} that is alive has ${describeLabels(placement)}`);
  const taking = suitable.filter(({ slots }) => slots > 0);
  if (taking.length === 0) return missing(`the agents of the pool ${pool} take no further jobs`);
  return { workers: taking.map(({ agent, slots }) => ({ name: workerOf(agent), capacity: slots })), missing: null };
}

const workerPrefix = 'agent:';

/** The worker of the jobs that an agent runs, as their records show it. */
export function workerOf(agent: string): string {
  return `${workerPrefix}${agent}`;
}

/** The agent that is the worker of a job; null = another worker is. */
export function agentOf(worker: string | null): string | null {
  return worker?.startsWith(workerPrefix) ? worker.slice(workerPrefix.length) : null;
}

function describeLabels({ labels }: Placement): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `the label${pairs.length === 1 ? '' : 's'} ${pairs.join(', ')}`;
}
