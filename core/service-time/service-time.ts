import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import { overrideTables } from '../store/override-tables.ts';
import type { Concern } from '../store/pipeline.ts';
import type { Tables, TransactionOptions } from '../store/store.ts';
import { readReadings } from './clock-readings.ts';
import { type ClockState, readClockState, steadyState } from './clock-state.ts';
import { agreesWithElapsed, type ClockReading, outcomeOfStep, stepBetween } from './clock-step.ts';

export interface ServiceTimeOptions {
  readonly clock: Clock;
  /** The name of this machine. */
  readonly host: string;
  /** Called when a reading shows a step that the state does not record. */
  wake?(): void;
}

/** A reading of the store's clock, and the number of steps that were recorded by that time. */
interface Watched {
  readonly reading: ClockReading;
  readonly steps: number;
}

/**
 * The store's clock, without a step ahead that is held: every decision about time uses it. A process that
 * watches the clock compares each reading with its own clocks, so that no transaction goes by a step which the state does
 * not record yet: for as long the time goes on as if there was none. Other processes, such as commands, compare it with
 * what this machine recorded last.
 */
export class ServiceTime {
  readonly #options: ServiceTimeOptions;
  readonly #clock: Clock;
  #state: ClockState = steadyState;
  #watched: Watched | null = null;

  constructor(options: ServiceTimeOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** Gives transactions the time of the service. */
  readonly concern: Concern = (work, options) => (tables) => work(this.#tables(tables, options));

  /**
   * Reads the store's clock itself, and the clocks of this machine.
   * @param asked when the transaction first read the state: a store may read its clock with it.
   */
  async read(tables: Tables, asked: Milliseconds): Promise<ClockReading> {
    const shown = await tables.now();
    const elapsed = this.#clock.elapsed();
    return { shown, elapsed, uptime: this.#clock.uptime(), took: elapsed - asked };
  }

  /** Compares later readings with this one. */
  watch(reading: ClockReading, state: ClockState): void {
    this.#state = state;
    this.#watched = { reading, steps: state.steps };
  }

  /** The reading that later ones are compared with; undefined = there is none since the last step. */
  lastReading({ steps }: ClockState): ClockReading | undefined {
    return this.#watched?.steps === steps ? this.#watched.reading : undefined;
  }

  #tables(tables: Tables, options: TransactionOptions): Tables {
    let now: Promise<Instant> | undefined;
    return overrideTables(tables, { now: () => (now ??= this.#now(tables, options)) });
  }

  /**
   * Returns the time of the service in a transaction. One that writes reads the state, because it may have changed since
   * the latest watch; others do so while the clock is not watched, unless they run one statement only.
   */
  async #now(tables: Tables, { readOnly = false, singleStatement = false }: TransactionOptions): Promise<Instant> {
    const isKnown = singleStatement || (readOnly && this.#watched !== null);
    if (!isKnown && this.#watched === null) return this.#unwatchedTime(tables);
    const asked = this.#clock.elapsed();
    // Asked first, because a store may read the time with it.
    const known = isKnown ? this.#state : readClockState(tables);
    const [shown, state] = await Promise.all([tables.now(), known]);
    return this.#timeOf(shown, state, asked);
  }

  async #unwatchedTime(tables: Tables): Promise<Instant> {
    const asked = this.#clock.elapsed();
    const state = await readClockState(tables);
    const [readings, reading] = await Promise.all([readReadings(tables, state), this.read(tables, asked)]);
    const step = readings.stepTo(reading, this.#clock.boot, this.#options.host);
    return reading.shown - outcomeOfStep(state.held, step).held;
  }

  #timeOf(shown: Instant, state: ClockState, asked: Milliseconds): Instant {
    const before = this.lastReading(state);
    const elapsed = this.#clock.elapsed();
    const unverified = { shown, elapsed, took: elapsed - asked };
    if (!before || agreesWithElapsed(before, unverified)) return shown - state.held;
    const reading = { ...unverified, uptime: this.#clock.uptime() };
    if (stepBetween(before, reading) === 0) return shown - state.held;
    this.#options.wake?.();
    return Math.round(before.shown + reading.uptime - before.uptime) - state.held;
  }
}
