import { setTimeout as pause } from 'node:timers/promises';
import { processesWith } from '../../program/processes.ts';
import { Random } from '../../simulation/world/random.ts';
import type { Victim, VictimKind } from './agent-field.ts';

export interface VictimPlan {
  readonly seed: number;
  readonly kills: number;
  /** The longest time between two kills, in milliseconds. */
  readonly interval: number;
  /** How long processes of jobs may outlive their agent, in milliseconds. */
  readonly lease: number;
  readonly onKill: (counts: Readonly<Record<VictimKind, number>>) => void;
}

/** How often each kind is killed, compared with the others. */
const weights: Readonly<Record<VictimKind, number>> = { agent: 7, host: 5, 'NATS server': 5, PostgreSQL: 3 };

/**
 * Kills what may be killed at random moments, several at a time, and starts each again after a while. When it returns, all of
 * them are started.
 * @returns the broken promises, a sentence each.
 */
export async function killVictims(
  victims: readonly Victim[],
  { seed, kills, interval, lease, onKill }: VictimPlan,
): Promise<string[]> {
  const random = new Random(seed);
  const counts: Record<VictimKind, number> = { agent: 0, host: 0, 'NATS server': 0, PostgreSQL: 0 };
  const down = new Set<Victim>();
  const returns: Promise<void>[] = [];
  const violations: string[] = [];
  const up = () => victims.filter((victim) => !down.has(victim));
  for (let nth = 0; nth < kills; nth += 1) {
    await pause(random.integer(0, interval));
    while (up().length === 0) await pause(100);
    const victim = pickVictim(random, up(), counts);
    counts[victim.kind] += 1;
    down.add(victim);
    const back = downtime(random);
    await victim.kill();
    onKill(counts);
    if (victim.folder !== null) returns.push(watchOrphans(victim.folder, lease, violations));
    returns.push(
      pause(back)
        .then(() => victim.start())
        .then(() => void down.delete(victim)),
    );
  }
  await Promise.all(returns);
  return violations;
}

/** Picks one of each kind first, so that also a short run kills all of them. */
function pickVictim(random: Random, victims: readonly Victim[], counts: Readonly<Record<VictimKind, number>>): Victim {
  const kinds = [...new Set(victims.map(({ kind }) => kind))];
  const unkilled = kinds.filter((kind) => counts[kind] === 0);
  const weighted = kinds.flatMap((kind) => Array<VictimKind>(weights[kind]).fill(kind));
  const kind = random.pick(unkilled.length > 0 ? unkilled : weighted);
  return random.pick(victims.filter((victim) => victim.kind === kind));
}

/** Most come back at once, and some after their lease, or that of the agents, has run out. */
function downtime(random: Random): number {
  if (random.chance(0.7)) return random.integer(0, 1000);
  return random.chance(0.7) ? random.integer(1000, 6000) : random.integer(6000, 15_000);
}

/** Checks that no process of the jobs of an agent that was killed outlives its lease. */
async function watchOrphans(folder: string, lease: number, violations: string[]): Promise<void> {
  const orphans = processesWith(folder);
  if (orphans.length === 0) return;
  await pause(lease);
  const left = new Set(processesWith(folder));
  const alive = orphans.filter((pid) => left.has(pid));
  if (alive.length > 0)
    violations.push(`${alive.length} processes of jobs outlived the lease of their agent, which was killed.`);
}
