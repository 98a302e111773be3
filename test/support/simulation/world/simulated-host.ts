import type { Milliseconds, Store } from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { Sealer } from '#core/audit/sealer';
import { ClockWatch } from '#core/clock/clock-watch';
import { EventProcessor } from '#core/event/processor/event-processor';
import { ExternalLeaseReaper } from '#core/external/external-lease-reaper';
import { StrandedJobs } from '#core/job/stranded-jobs';
import type { Ticker } from '#core/loop/loop';
import { productObservers } from '#core/resources';
import { PauseReleaser } from '#core/scheduler/release-pauses';
import { Scheduler } from '#core/scheduler/scheduler';
import { serviceStore } from '#core/service-time/service-store';
import type { LeaseTimes } from '#core/worker/lease/lease-epoch';
import { LeaseGuard } from '#core/worker/lease/lease-guard';
import { WorkerReaper } from '#core/worker/lease/worker-reaper';
import { Runner } from '#core/worker/runner';
import { Worker } from '#core/worker/worker';
import { HostClock, type VirtualTime } from '../../clocks/virtual-time.ts';
import { testHmac, testSigner } from '../../secrets/test-hmac.ts';
import type { FleetHost } from '../fleet/fleet.ts';
import { simulatedEvents } from './event-people.ts';
import { type Fault, withFaults } from './faulty-store.ts';
import { failingPreparation } from './preparation.ts';
import type { Random } from './random.ts';
import { type PhysicalRun, type Script, SimulatedExecutor } from './simulated-executor.ts';

/** Longer than the default lease, because each renewal costs simulation time, but in the same proportions. */
const simulatedLease: LeaseTimes = { duration: 40_000, renewal: 10_000, margin: 12_000, silence: 16_000 };

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
  /** Whether the host dies when it prepares that job. */
  isDeadly(jobId: number): boolean;
  onError(error: unknown): void;
  /** Connects it to agents. @returns what it does for them. @default it has no agents */
  connect?(host: FleetHost): readonly Ticker[];
}

/** A ticker and when its next tick is due. */
interface PlannedTick {
  readonly ticker: Ticker;
  due: number;
  busy: boolean;
  woken: boolean;
  failures: number;
}

/** The minimum wait of each ticker: without it ticks that find nothing would take most of the simulation's time. */
const minWaits: Readonly<Record<string, Milliseconds>> = {
  'clock watch': 5000,
  'worker reaper': 4000,
  sealer: 45_000,
  'lease guard': 500,
};

/** A process of the service, without its channels. */
export class SimulatedHost {
  readonly name: string;
  readonly clock: HostClock;
  readonly executor: SimulatedExecutor;
  readonly runner: Runner;
  alive = true;
  readonly #options: HostOptions;
  readonly #ticks: readonly PlannedTick[];
  readonly #clockWatch: ClockWatch;
  /** Whether the clock was compared: nothing else ticks before. */
  #isStarted = false;
  #pausedUntil = 0;
  #cutOffUntil = 0;

  constructor(options: HostOptions) {
    const { name, time, random, runs, capacity } = options;
    this.name = name;
    this.#options = options;
    this.clock = new HostClock(time, options.clockAhead);
    this.executor = new SimulatedExecutor({ time, random, host: name, capacity, runs, script: () => options.script() });
    const faulty = withFaults(options.store, {
      nextFault: (readOnly) => (time.now < this.#cutOffUntil ? { kind: 'fails' } : options.nextFault(readOnly)),
      isAlive: () => this.alive,
      die: () => this.die(),
      wait: (duration, pausesHost) => this.#wait(duration, pausesHost),
    });
    const { clock } = this;
    const watch = new ClockWatch({
      store: faulty,
      clock,
      signer: testSigner,
      host: 'machine',
      wake: () => this.wake(watch.name),
    });
    this.#clockWatch = watch;
    const served = serviceStore(faulty, watch.time);
    const store = new AuditedStore(served, testSigner, {
      observers: productObservers({ onEvents: () => this.wake('event processor') }),
    });
    const wake = () => this.wake('runner');
    const preparation = failingPreparation((jobId) => this.#prepare(jobId));
    const worker = new Worker({
      ...preparation,
      clock,
      executors: new Map([['native', this.executor]]),
      host: name,
      pid: 1,
      capacity,
      times: simulatedLease,
      wake,
    });
    this.runner = new Runner({ ...preparation, store, clock, worker, poll: 12_000 });
    const forAgents = options.connect?.({
      store,
      clock,
      isAlive: () => this.alive,
      pausedUntil: () => this.#pausedUntil,
      wake: (name) => this.wake(name),
      onJobs: wake,
      prepare: (jobId) => this.#prepare(jobId),
      worker,
    });
    const onTemplateFailed = (_templateId: number, error: unknown) => options.onError(error);
    this.#ticks = [
      watch,
      new Scheduler({ store, poll: 15_000, onJobs: wake, onTemplateFailed }),
      new PauseReleaser({ store, poll: 15_000, onJobs: wake }),
      this.runner,
      new LeaseGuard(worker),
      new WorkerReaper({ store, onJobs: wake }),
      new EventProcessor({ ...simulatedEvents, store, clock, poll: 10_000, onJobs: wake }),
      new StrandedJobs(store),
      new ExternalLeaseReaper({ store, executors: ['external'], onJobs: wake }),
      new Sealer({ store: served, hmac: async () => testHmac, onForged: () => undefined }),
      ...(forAgents ?? []),
    ].map((ticker) => ({ ticker, due: time.now + random.integer(0, 3000), busy: false, woken: false, failures: 0 }));
  }

  /** When its next tick is due. */
  get due(): number {
    let earliest = Infinity;
    for (const tick of this.#ticks) if (this.#mayTick(tick) && tick.due < earliest) earliest = tick.due;
    return Math.max(earliest, this.#pausedUntil);
  }

  /** Starts the tick that is due first. */
  tick(): void {
    if (this.#pausedUntil > 0) this.executor.resume();
    this.#pausedUntil = 0;
    const tick = this.#ticks.reduce((first, other) =>
      this.#mayTick(other) && (!this.#mayTick(first) || other.due < first.due) ? other : first,
    );
    tick.busy = true;
    tick.woken = false;
    tick.ticker.tick().then(
      (wait) => {
        tick.failures = 0;
        this.#isStarted ||= tick.ticker === this.#clockWatch;
        this.#planNext(tick, wait);
      },
      (error: unknown) => {
        tick.failures += 1;
        this.#options.onError(error);
        this.#planNext(tick, Math.min(100 * 2 ** tick.failures, 5000));
      },
    );
  }

  #mayTick({ ticker, busy }: PlannedTick): boolean {
    return !busy && (this.#isStarted || ticker === this.#clockWatch);
  }

  wake(name: string): void {
    const tick = this.#ticks.find(({ ticker }) => ticker.name === name);
    if (!tick) throw new Error(`There is no ticker ${name}.`);
    if (tick.busy) tick.woken = true;
    else tick.due = Math.min(tick.due, this.#options.time.now + this.#options.random.integer(0, 20));
  }

  /** Kills the process and the attempts that it runs. */
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

  /** Fails all its transactions for that long. */
  cutOff(duration: Milliseconds): void {
    this.#cutOffUntil = this.#options.time.now + duration;
  }

  get hasReadClock(): boolean {
    return this.#isStarted;
  }

  /** Whether it is alive, not paused and connected to the database. */
  get isWorking(): boolean {
    return this.alive && this.#options.time.now >= Math.max(this.#pausedUntil, this.#cutOffUntil);
  }

  /** Shuts down: claims no more jobs, and gives running ones that long to end. */
  async stop(grace: Milliseconds): Promise<void> {
    await this.runner.drain(grace);
    this.die();
  }

  #prepare(jobId: number): void {
    if (!this.#options.isDeadly(jobId)) return;
    this.die();
    throw new Error('The host died while it prepared a job.');
  }

  #planNext(tick: PlannedTick, wait: Milliseconds): void {
    const { time, random } = this.#options;
    tick.busy = false;
    const minWait = wait > 100 ? Math.max(wait, minWaits[tick.ticker.name] ?? 2500) : Math.max(wait, 30);
    const lateness = random.chance(0.05) ? random.integer(0, 4000) : random.integer(0, 15);
    tick.due = time.now + (tick.woken ? random.integer(0, 20) : minWait + lateness);
  }

  #wait(duration: Milliseconds, pausesHost: boolean): Promise<void> {
    if (pausesHost) this.pause(duration);
    return new Promise((resolve) => this.#options.time.in(duration, () => this.alive && resolve()));
  }
}
