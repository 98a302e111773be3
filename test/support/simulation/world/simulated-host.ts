import {
  AuditedStore,
  ExternalLeaseReaper,
  type LeaseTimes,
  type Milliseconds,
  Runner,
  Scheduler,
  Sealer,
  type Store,
  type Ticker,
  WorkerReaper,
} from '@horarium/core';
import { storeArtifacts } from '#core/job/store-artifacts';
import { testHmac } from '../../test-hmac.ts';
import { type Fault, withFaults } from './faulty-store.ts';
import { prepareAttempts } from './prepare-attempts.ts';
import type { Random } from './random.ts';
import { type PhysicalRun, type Script, SimulatedExecutor } from './simulated-executor.ts';
import { HostClock, type VirtualTime } from './virtual-time.ts';

/** Shorter lives would only be more renewals to simulate; the proportions are those of the real ones. */
const simulatedLease: LeaseTimes = { duration: 40_000, renewal: 10_000, margin: 12_000 };

export interface HostOptions {
  readonly name: string;
  readonly store: Store;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly capacity: number;
  readonly clockAhead: Milliseconds;
  readonly runs: PhysicalRun[];
  script(): Script;
  nextFault(readOnly: boolean): Fault | null;
  onDeath(host: SimulatedHost): void;
  onError(error: unknown): void;
}

/** A tick and when it is due. */
interface Pulse {
  readonly tick: Ticker;
  due: number;
  busy: boolean;
  rung: boolean;
  failures: number;
}

/** Ticks that come back often to find nothing are late on a busy host, which saves the simulation most of its work. */
const leastWait: Readonly<Record<string, Milliseconds>> = { 'worker reaper': 4000, sealer: 45_000, 'lease guard': 500 };

/** One process of the service: everything but its channels. */
export class SimulatedHost {
  readonly name: string;
  readonly clock: HostClock;
  readonly executor: SimulatedExecutor;
  readonly runner: Runner;
  alive = true;
  readonly #options: HostOptions;
  readonly #pulses: readonly Pulse[];
  #pausedUntil = 0;
  #cutOffUntil = 0;
  #lives = 0;

  constructor(options: HostOptions) {
    const { name, time, random, runs, capacity } = options;
    this.name = name;
    this.#options = options;
    this.clock = new HostClock(time, options.clockAhead);
    this.executor = new SimulatedExecutor({ time, random, host: name, runs, write: () => options.script() });
    const faulty = withFaults(options.store, {
      nextFault: (readOnly) => (time.now < this.#cutOffUntil ? { kind: 'fails' } : options.nextFault(readOnly)),
      isAlive: () => this.alive,
      die: () => this.die(),
      wait: (duration, whole) => this.#wait(duration, whole),
    });
    const store = new AuditedStore(faulty);
    const wake = () => this.wake('runner');
    const { clock } = this;
    this.runner = new Runner({
      store,
      clock,
      executors: new Map([['native', this.executor]]),
      capacity,
      times: simulatedLease,
      poll: 12_000,
      identify: () => ({ name: `${name}.${++this.#lives}`, host: name, pid: 1, capacity }),
      prepare: prepareAttempts,
      storeArtifacts,
      wake,
    });
    const onProblem = (_templateId: number, error: unknown) => options.onError(error);
    this.#pulses = [
      new Scheduler({ store, poll: 15_000, onJobs: wake, onProblem }),
      this.runner,
      this.runner.guard,
      new WorkerReaper({ store, clock, onJobs: wake }),
      new ExternalLeaseReaper({ store, executors: ['external'], onJobs: wake }),
      new Sealer(faulty, async () => testHmac),
    ].map((tick) => ({ tick, due: time.now + random.whole(0, 3000), busy: false, rung: false, failures: 0 }));
  }

  /** When it has something to do next. */
  get due(): number {
    let earliest = Infinity;
    for (const pulse of this.#pulses) if (!pulse.busy && pulse.due < earliest) earliest = pulse.due;
    return Math.max(earliest, this.#pausedUntil);
  }

  /** Begins the tick that is due first. */
  tick(): void {
    if (this.#pausedUntil > 0) this.executor.resume();
    this.#pausedUntil = 0;
    const pulse = this.#pulses.reduce((first, other) =>
      !other.busy && (first.busy || other.due < first.due) ? other : first,
    );
    pulse.busy = true;
    pulse.rung = false;
    pulse.tick.tick().then(
      (wait) => {
        pulse.failures = 0;
        this.#next(pulse, wait);
      },
      (error: unknown) => {
        pulse.failures += 1;
        this.#options.onError(error);
        this.#next(pulse, Math.min(100 * 2 ** pulse.failures, 5000));
      },
    );
  }

  wake(name: string): void {
    const pulse = this.#pulses.find(({ tick }) => tick.name === name);
    if (!pulse) throw new Error(`There is no beat ${name}.`);
    if (pulse.busy) pulse.rung = true;
    else pulse.due = Math.min(pulse.due, this.#options.time.now + this.#options.random.whole(0, 20));
  }

  /** It is killed, and what it runs with it. */
  die(): void {
    if (!this.alive) return;
    this.alive = false;
    this.executor.kill('killed with the server');
    this.#options.onDeath(this);
  }

  pause(duration: Milliseconds): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.time.now + duration);
    this.executor.pause();
  }

  /** It does not reach the database. */
  cutOff(duration: Milliseconds): void {
    this.#cutOffUntil = this.#options.time.now + duration;
  }

  /** Whether it could do its work at this moment. */
  get isWorking(): boolean {
    return this.alive && this.#options.time.now >= Math.max(this.#pausedUntil, this.#cutOffUntil);
  }

  /** It is asked to end: no new jobs, and so long for the running ones. */
  async stop(patience: Milliseconds): Promise<void> {
    await this.runner.drain(patience);
    this.die();
  }

  #next(pulse: Pulse, wait: Milliseconds): void {
    const { time, random } = this.#options;
    pulse.busy = false;
    const least = wait > 100 ? Math.max(wait, leastWait[pulse.tick.name] ?? 2500) : Math.max(wait, 30);
    const late = random.chance(0.05) ? random.whole(0, 4000) : random.whole(0, 15);
    pulse.due = time.now + (pulse.rung ? random.whole(0, 20) : least + late);
  }

  #wait(duration: Milliseconds, whole: boolean): Promise<void> {
    if (whole) this.pause(duration);
    return new Promise((resolve) => this.#options.time.in(duration, () => this.alive && resolve()));
  }
}
