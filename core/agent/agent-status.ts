import { readPlacement } from '../executor/placement.ts';
import { describeFields } from '../field/field-description.ts';
import { count, text, texts } from '../field/fields.ts';
import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readPauses } from '../pause/pauses.ts';
import { serializeRow } from '../resource/serialize-row.ts';
import type { Tables } from '../store/store.ts';
import {
  AgentPresence,
  type AgentPresenceRow,
  readLiveAgents,
  suitableAgents,
  workerOf,
} from '../worker/lease/agent-presence.ts';
import { countRunning } from '../worker/running-counts.ts';
import { readPlacedWork } from './claim-for-agent.ts';

/** The columns of its row that are shown under another name, in another form, or not at all. */
const replaced = new Set(['id', 'agent', 'pools', 'stopped', 'second_process_at']);

/** How an agent that is alive is shown. */
export const agentStatusColumns = [
  ...describeFields({
    name: text(63).required(),
    pools: texts(63, { description: 'The pools whose jobs it runs.' }),
    used_slots: count(0, { description: 'How many jobs it runs.' }),
  }),
  ...AgentPresence.columns.filter(({ name }) => !replaced.has(name)),
];

/** How due jobs that no agent runs are shown. */
export const unservedPoolColumns = describeFields({
  pool: text(63).required(),
  due: count(0, { description: 'How many jobs are due.' }),
  reason: text(1024, { description: 'Why no agent runs them, as a clause.' }).required(),
});

/** An agent that is alive, with the jobs that it runs. */
export interface BusyAgent {
  readonly presence: AgentPresenceRow;
  readonly running: number;
}

/** Reads the agents that are alive, by their names; null = there has never been one. */
export async function readBusyAgents(tables: Tables, now: Instant): Promise<BusyAgent[] | null> {
  const alive = await readLiveAgents(tables, now);
  if (alive.length === 0) return (await tables.of(AgentPresence).count([], 1)) === 0 ? null : [];
  const running = await countRunning(
    tables,
    alive.map(({ agent }) => workerOf(agent)),
  );
  return alive.map((presence) => ({ presence, running: running.get(workerOf(presence.agent)) ?? 0 }));
}

/** Serializes an agent as channels show it. */
export function serializeAgent({ presence, running }: BusyAgent): Readonly<Record<string, unknown>> {
  const shown = Object.entries(serializeRow(AgentPresence, presence)).filter(([name]) => !replaced.has(name));
  const { agent: name, pools } = presence;
  return { name, pools: Object.keys(pools).sort(), used_slots: running, ...Object.fromEntries(shown) };
}

/**
 * Lists the pools with due jobs that none of the agents runs, with the reason; a pool has a row for each reason. Jobs that a
 * pause holds wait for its end.
 */
export async function listUnservedPools(tables: Tables, agents: readonly BusyAgent[], now: Instant) {
  const alive = agents.map(({ presence }) => presence);
  const unserved = new Map<string, { readonly pool: string; readonly due: number; readonly reason: string }>();
  for (const placement of (await readPlacedWork(tables)).due) {
    await yieldToEventLoop();
    const { pool } = readPlacement(placement);
    const where = [['placement', '=', placement] as const, ['queue_at', '<=', now] as const];
    const counted = await tables.of(Job).countBy(['runtemplate_id', 'company_id'], where);
    const ofTemplates = counted.map(({ values: [runtemplate_id, company_id], count }) => ({
      runtemplate_id,
      company_id,
      count,
    }));
    const pauses = await readPauses(tables, ofTemplates);
    for (const { count, ...template } of ofTemplates) {
      const { missing: reason } = suitableAgents(alive, { placement, ...template });
      if (reason === null || pauses.at(template, now)) continue;
      const key = `${pool} ${reason}`;
      unserved.set(key, { pool, due: (unserved.get(key)?.due ?? 0) + count, reason });
    }
  }
  return [...unserved.values()];
}
