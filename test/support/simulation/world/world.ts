import { setImmediate as nextTurn } from 'node:timers/promises';
import { HorariumError, type Milliseconds, type Store } from '@horarium/core';
import { serviceStore } from '#core/service-time/service-store';
import { ServiceTime } from '#core/service-time/service-time';
import { HostClock, type VirtualTime } from '../../clocks/virtual-time.ts';
import { AgentTeller } from '../fleet/agent-teller.ts';
import { Fleet, type FleetHost, type FleetOptions } from '../fleet/fleet.ts';
import { ClockFaults } from './clock-faults.ts';
import { withClockObserver } from './clock-observer.ts';
import { ExternalWorkers } from './external-workers.ts';
import type { Fault } from './faulty-store.ts';
import { People } from './people.ts';
import type { Random } from './random.ts';
import type { PhysicalRun, Script } from './simulated-executor.ts';
import { SimulatedHost } from './simulated-host.ts';
import type { Span } from './span.ts';

const hour = 3_600_000;

/** The faults of the world while it is disturbed. */
export interface Disturbance {
  /** Draws the script of the next attempt. */
  script(): Script;
  /** Draws the fault of the next transaction; null = none. */
  nextFault(readOnly: boolean): Fault | null;
  hostDied(): void;
  /** Whether a host dies when it prepares that job. */
  isDeadly(jobId: number): boolean;
}

/** The hosts, people and external workers around one store, driven by virtual time. */
export class World {
  readonly people: People;
  readonly externalWorkers: ExternalWorkers;
  readonly runs: PhysicalRun[] = [];
  readonly hosts: SimulatedHost[] = [];
  /** The spans of the store's time in which no host was working, or which its clock skipped. */
  readonly outages: Span[] = [];
  /** How many hosts died while they prepared a job, by the job's id. */
  readonly deaths = new Map<number, number>();
  readonly time: VirtualTime;
  disturbance: Disturbance | null = null;
  readonly clockFaults: ClockFaults;
  readonly fleet: Fleet | null;
  readonly #store: Store;
  readonly #random: Random;
  readonly #failures: unknown[] = [];
  #hostCount = 0;
  /** Whether a host has read the store's clock yet. */
  #wasClockRead = false;

  /** @param agents the agents beside it. @default there are none */
  constructor(store: Store, time: VirtualTime, random: Random, agents?: Pick<FleetOptions, 'random' | 'bug'>) {
    const observed = withClockObserver(store, (state) => this.clockFaults.recorded(state));
    this.#store = observed;
    this.time = time;
    this.#random = random;
    this.fleet = agents ? new Fleet({ ...agents, time, script: () => this.#script() }) : null;
    // Requests are answered by hosts that have recorded every step of the clock.
    const served = serviceStore(observed, new ServiceTime({ clock: new HostClock(time, 0), host: 'machine' }));
    this.people = new People({
      store: served,
      time,
      random,
      onJobs: () => this.#jobsChanged(),
      onError: (error) => this.recordError(error),
      place: (template) => this.fleet?.place(template) ?? template,
    });
    this.clockFaults = new ClockFaults({
      time,
      random,
      people: this.people,
      outages: this.outages,
      onError: (error) => this.recordError(error),
      wasRead: () => this.#wasClockRead,
    });
    this.externalWorkers = new ExternalWorkers({
      store: served,
      time,
      random,
      isServed: () => !this.clockFaults.isUnrecorded && this.hosts.some((host) => host.isWorking),
      script: () => (this.disturbance && random.chance(0.1) ? null : this.#script()),
      onJobs: () => this.#jobsChanged(),
      onError: (error) => this.recordError(error),
    });
  }

  addHost(capacity: number): void {
    const random = this.#random;
    const { fleet } = this;
    const host = new SimulatedHost({
      name: `host${++this.#hostCount}`,
      store: this.#store,
      time: this.time,
      random,
      capacity,
      clockAhead: random.integer(-60_000, 60_000),
      runs: this.runs,
      script: () => this.#script(),
      nextFault: (readOnly) => this.disturbance?.nextFault(readOnly) ?? null,
      onDeath: () => {
        this.hosts.splice(this.hosts.indexOf(host), 1);
        this.disturbance?.hostDied();
      },
      isDeadly: (jobId) => {
        const isDeadly = this.disturbance?.isDeadly(jobId) ?? false;
        if (isDeadly) this.deaths.set(jobId, (this.deaths.get(jobId) ?? 0) + 1);
        return isDeadly;
      },
      onError: (error) => this.recordError(error),
      ...(fleet && { connect: (each: FleetHost) => fleet.connect(each) }),
    });
    this.hosts.push(host);
  }

  /** Draws the script of the next attempt. */
  #script(): Script {
    const random = this.#random;
    const calm = { duration: random.integer(200, 3000), exitCode: random.chance(0.9) ? 0 : 1 };
    return this.disturbance?.script() ?? { ...calm, ignoresStopFor: 0, output: [] };
  }

  /** Records an error of a host, user or worker, which ends the simulation unless a lost connection explains it. */
  recordError(error: unknown): void {
    if (!(error instanceof HorariumError && error.code === 'unavailable')) this.#failures.push(error);
  }

  /**
   * Runs the world while a condition holds.
   * @param interval the minimum virtual time between two checks of the condition.
   * @throws Error when it still holds after 12 hours.
   */
  async runWhile(condition: () => boolean | Promise<boolean>, interval: Milliseconds = 0): Promise<void> {
    const { time } = this;
    const latest = time.now + 12 * hour;
    for (let checked = 0; ; ) {
      if (time.now >= checked + interval) {
        if (!(await condition())) return;
        checked = time.now;
      }
      const host = this.hosts.reduce<SimulatedHost | null>(
        (earliest, candidate) => (earliest && earliest.due <= candidate.due ? earliest : candidate),
        null,
      );
      const due = host?.due ?? Infinity;
      const from = time.now;
      const isServed = this.hosts.some((each) => each.isWorking);
      this.#wasClockRead ||= this.hosts.some((each) => each.hasReadClock);
      if (time.nextEvent <= due) time.runNextEvent();
      else {
        time.moveTo(due);
        host?.tick();
      }
      // After a turn of the event loop all work waits for virtual time.
      await nextTurn();
      if (!isServed && time.now > from)
        this.outages.push({ from: time.storeTimeOf(from), to: time.storeTimeOf(time.now) });
      if (this.#failures.length > 0) throw this.#failures[0];
      if (time.now > latest) throw new Error('The service does not become idle.');
    }
  }

  /** Wakes the first host in half of the cases; others find the jobs by polling, as with several processes on a database. */
  #jobsChanged(): void {
    const [host] = this.hosts;
    if (!host || this.#random.chance(0.5)) return;
    host.runner.lookForStops();
    host.wake('scheduler');
    host.wake('runner');
    if (this.fleet) host.wake(AgentTeller.tickerName);
  }
}
