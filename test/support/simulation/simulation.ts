import { setImmediate as turn } from 'node:timers/promises';
import { AuditLog, HorariumError, Job, Schedule, type Store, Task } from '@horarium/core';
import { Chaos } from './chaos.ts';
import { Outsiders } from './outsiders.ts';
import { People } from './people.ts';
import { Random } from './random.ts';
import type { PhysicalRun, Script } from './simulated-executor.ts';
import { SimulatedHost } from './simulated-host.ts';
import { VirtualTime } from './virtual-time.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Moments at which something happens to clocks or calendars: most of them a little before a clock change. */
const batches = [
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
  /** Opens the empty store of this run, whose clock is the one given. */
  openStore(time: VirtualTime): Promise<Store>;
  /** How much happens: 1 is about an hour of work. */
  readonly scale: number;
}

/** What is left when everything has come to rest. */
export interface Remains {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly runs: readonly PhysicalRun[];
  /** What was worked on outside. */
  readonly outside: readonly PhysicalRun[];
  readonly people: People;
  /** When no host could do anything, oldest first. */
  readonly unattended: readonly Span[];
  /** Workers that were alive at the end. */
  readonly hosts: readonly string[];
}

/** The whole service in virtual time: hosts that come and go, people who interfere, and a store that outlives them. */
export async function simulate({ seed, openStore, scale }: SimulationOptions): Promise<Remains> {
  const random = new Random(seed);
  const time = new VirtualTime(random.pick(batches));
  const store = await openStore(time);
  const world = new World(store, time, random);
  await world.people.settle(random.whole(2, 4));
  world.outsiders.begin(2);
  const chaos = new Chaos({ world, random, time, until: time.now + scale * random.whole(25, 50) * minute });
  await world.run(() => time.now < chaos.until);
  chaos.end();
  const calm = time.now;
  for (const host of [...world.hosts]) host.die();
  world.addHost(8);
  await world.run(async () => !(time.now >= calm + 1.5 * minute && (await isQuiet(store))), 20_000);
  const hosts = world.hosts.map((host) => host.runner.worker);
  const { runs, people, unattended, outsiders } = world;
  return { store, time, runs, outside: outsiders.runs, people, unattended, hosts };
}

/** A stretch of real time. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export class World {
  readonly people: People;
  readonly outsiders: Outsiders;
  readonly runs: PhysicalRun[] = [];
  readonly hosts: SimulatedHost[] = [];
  readonly unattended: Span[] = [];
  readonly time: VirtualTime;
  chaos: Chaos | null = null;
  readonly #store: Store;
  readonly #random: Random;
  readonly #failures: unknown[] = [];
  #hostsMade = 0;

  constructor(store: Store, time: VirtualTime, random: Random) {
    this.#store = store;
    this.time = time;
    this.#random = random;
    this.people = new People({
      store,
      time,
      random,
      onJobs: () => this.#jobsChanged(),
      onError: (error) => this.failed(error),
    });
    this.outsiders = new Outsiders({
      store,
      time,
      random,
      isServed: () => this.hosts.some((host) => host.isWorking),
      script: () => (this.chaos && random.chance(0.1) ? null : this.#script()),
      onJobs: () => this.#jobsChanged(),
      onError: (error) => this.failed(error),
    });
  }

  addHost(capacity: number): void {
    const random = this.#random;
    const host = new SimulatedHost({
      name: `host${++this.#hostsMade}`,
      store: this.#store,
      time: this.time,
      random,
      capacity,
      clockAhead: random.whole(-60_000, 60_000),
      runs: this.runs,
      script: () => this.#script(),
      nextFault: (readOnly) => this.chaos?.nextFault(readOnly) ?? null,
      onDeath: () => {
        this.hosts.splice(this.hosts.indexOf(host), 1);
        this.chaos?.hostDied();
      },
      onError: (error) => this.failed(error),
    });
    this.hosts.push(host);
  }

  /** How an attempt goes. */
  #script(): Script {
    const random = this.#random;
    const calm = { duration: random.whole(200, 3000), exitCode: random.chance(0.9) ? 0 : 1 };
    return this.chaos?.script() ?? { ...calm, ignoresStopFor: 0, output: [] };
  }

  /** An error that no host and no person should ever see ends the simulation. */
  failed(error: unknown): void {
    if (!(error instanceof HorariumError && error.code === 'unavailable')) this.#failures.push(error);
  }

  /** Lets time go by as long as that holds, which is asked every so often. */
  async run(goesOn: () => boolean | Promise<boolean>, every = 0): Promise<void> {
    const { time } = this;
    const latest = time.now + 12 * hour;
    for (let asked = 0; ; ) {
      if (time.now >= asked + every) {
        if (!(await goesOn())) return;
        asked = time.now;
      }
      const host = this.hosts.reduce<SimulatedHost | null>(
        (first, each) => (first && first.due <= each.due ? first : each),
        null,
      );
      const due = host?.due ?? Infinity;
      const from = time.now;
      const attended = this.hosts.some((each) => each.isWorking);
      if (time.nextEvent <= due) time.takeEvent();
      else {
        time.moveTo(due);
        host?.tick();
      }
      // Whatever is not waiting for virtual time has gone as far as it can after this.
      await turn();
      if (!attended && time.now > from) this.unattended.push({ from, to: time.now });
      if (this.#failures.length > 0) throw this.#failures[0];
      if (time.now > latest) throw new Error('The service does not come to rest.');
    }
  }

  /** Only hosts that happen to hear of it look at once, as it is with several processes on one database. */
  #jobsChanged(): void {
    const [host] = this.hosts;
    if (!host || this.#random.chance(0.5)) return;
    host.runner.lookForStops();
    host.wake('scheduler');
    host.wake('runner');
  }
}

/** Whether nothing runs, waits or is due, and everything is sealed. */
async function isQuiet(store: Store): Promise<boolean> {
  return store.transaction(
    async (tables) => {
      const now = await tables.now();
      const busy = await Promise.all([
        tables.of(Job).count([['state', '=', 'running']], 1),
        tables
          .of(Job)
          .count([['state', '=', 'scheduled'], { any: [[['queue_at', '=', null]], [['queue_at', '<=', now]]] }], 1),
        tables.of(Task).count([['last_start', '<', now]], 1),
        tables.of(Schedule).count([['next_at', '<=', now]], 1),
        tables.of(AuditLog).count([['seq', '=', null]], 1),
      ]);
      return busy.every((count) => count === 0);
    },
    { readOnly: true },
  );
}
