import { setImmediate as nextTurn } from 'node:timers/promises';
import { AuditLog, Event, Job, Pause, type Store, Task } from '@horarium/core';
import { Schedule } from '#core/template/schedule';
import { VirtualTime } from '../clocks/virtual-time.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { AgentBug } from './fleet/planted-agent-bugs.ts';
import { Chaos } from './world/chaos.ts';
import type { People } from './world/people.ts';
import { Random } from './world/random.ts';
import type { PhysicalRun } from './world/simulated-executor.ts';
import type { Span } from './world/span.ts';
import { World } from './world/world.ts';

const second = 1000;
const minute = 60 * second;
/** The virtual time that the last host runs at least, so that leases of dead hosts expire before the first check. */
const minRecovery = 90 * second;

/** Start times shortly before a clock change, or before the end of a year, month or day. */
const startTimes = [
  Date.UTC(2026, 2, 29, 0, 20),
  Date.UTC(2026, 9, 25, 0, 20),
  Date.UTC(2026, 2, 8, 6, 15),
  Date.UTC(2026, 10, 1, 5, 15),
  Date.UTC(2026, 3, 4, 14, 30),
  Date.UTC(2026, 9, 3, 14, 50),
  Date.UTC(2025, 11, 31, 22, 30),
  Date.UTC(2026, 1, 28, 21, 40),
  Date.UTC(2026, 5, 14, 23, 31, 17),
];

export interface SimulationOptions {
  readonly seed: number;
  /** Opens an empty store, which takes the time from this clock. */
  openStore(time: VirtualTime): Promise<Store>;
  /** The factor of the simulated time, which is 25 to 50 minutes, by seed. */
  readonly scale: number;
  /** The agents beside the hosts, with a planted bug or without. @default there are none */
  readonly agents?: { readonly bug: AgentBug | null } | undefined;
}

/** The state of the simulation when the service has become idle. */
export interface SimulationResult {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly runs: readonly PhysicalRun[];
  /** The runs of external workers. */
  readonly externalRuns: readonly PhysicalRun[];
  readonly people: People;
  /** How many hosts died while they prepared a job, by the job's id. */
  readonly deaths: ReadonlyMap<number, number>;
  /** The spans of the store's time in which no host was working, or which its clock skipped. */
  readonly outages: readonly Span[];
  /** Whether the store's clock was set back by more than an ordinary correction. */
  readonly wasSetBack: boolean;
  /** What happened on agents; null = there were none. */
  readonly fleet: Pick<Fleet, 'record' | 'specs'> | null;
  /** The names of the workers that were alive at the end. */
  readonly workers: readonly string[];
}

/**
 * Simulates the whole service in virtual time: hosts that start and are killed, users who change records, external
 * workers, and one store. After the chaos one healthy host runs until the service is idle.
 */
export async function simulate({ seed, openStore, scale, agents }: SimulationOptions): Promise<SimulationResult> {
  const random = new Random(seed);
  const time = new VirtualTime(random.pick(startTimes));
  const store = await openStore(time);
  const world = new World(store, time, random, agents && { ...agents, random: new Random(-seed) });
  await world.people.setUp(random.integer(2, 4));
  world.externalWorkers.start(2);
  const chaos = new Chaos({ world, random, time, until: time.now + scale * random.integer(25, 50) * minute });
  await world.runWhile(() => time.now < chaos.until);
  chaos.end();
  world.fleet?.end();
  const idleFrom = time.now + minRecovery;
  for (const host of [...world.hosts]) host.die();
  world.addHost(8);
  await world.runWhile(
    async () => time.now < idleFrom || !(world.fleet?.isIdle ?? true) || !(await staysIdle(store)),
    20 * second,
  );
  const workers = world.hosts.map((host) => host.runner.worker.epoch.name);
  const { runs, people, deaths, outages, clockFaults, externalWorkers, fleet } = world;
  const { wasSetBack } = clockFaults;
  const happened = { runs, externalRuns: externalWorkers.runs, people, deaths, outages, wasSetBack, fleet };
  return { store, time, ...happened, workers };
}

/** Whether it is idle, and still is when what was under way at that moment has ended, for which no time passes. */
async function staysIdle(store: Store): Promise<boolean> {
  if (!(await isIdle(store))) return false;
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  return isIdle(store);
}

/** Whether no job runs, is blocked or due, no Task or window is overdue, and every audit entry is sealed. */
async function isIdle(store: Store): Promise<boolean> {
  return store.transaction(
    async (tables) => {
      const now = await tables.now();
      const counts = await Promise.all([
        tables.of(Job).count([['state', '=', 'running']], 1),
        tables
          .of(Job)
          .count([['state', '=', 'scheduled'], { any: [[['queue_at', '=', null]], [['queue_at', '<=', now]]] }], 1),
        tables.of(Task).count([['start_deadline', '<', now]], 1),
        tables.of(Schedule).count([{ any: [[['next_at', '<=', now]], [['backlog_at', '<=', now]]] }], 1),
        tables.of(Pause).count([['released_at', '=', null]], 1),
        tables.of(Event).count([['state', '=', 'pending']], 1),
        tables.of(AuditLog).count([['seq', '=', null]], 1),
      ]);
      return counts.every((count) => count === 0);
    },
    { readOnly: true },
  );
}
