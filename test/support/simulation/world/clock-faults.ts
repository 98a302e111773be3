import type { Milliseconds } from '@horarium/core';
import type { ClockState } from '#core/service-time/clock-state';
import { stepTolerance } from '#core/service-time/clock-step';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import type { People } from './people.ts';
import type { Random } from './random.ts';
import type { Span } from './span.ts';

const second = 1000;
const minute = 60 * second;

export interface ClockFaultsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly people: People;
  /** The spans of the store's time in which nothing happened; it adds those that the clock skips. */
  readonly outages: Span[];
  onError(error: unknown): void;
  /** Whether a host has read the clock yet. */
  wasRead(): boolean;
}

/** Lets the store's clock jump ahead, go back and be set back, and suspends all machines. */
export class ClockFaults {
  /** Whether the clock was set back, so that times of rows are not in the order of what happened. */
  wasSetBack = false;
  readonly #options: ClockFaultsOptions;
  /** How far the clock is ahead by what hosts have recorded. */
  #recorded: Milliseconds = 0;
  /** The number of the step by which the clock was last set back. */
  #steps = 0;
  #ended = false;

  constructor(options: ClockFaultsOptions) {
    this.#options = options;
  }

  /** Whether no host has recorded the latest step of the clock yet; requests wait for that. */
  get isUnrecorded(): boolean {
    return Math.abs(this.#options.time.jump - this.#recorded) > stepTolerance;
  }

  /** Notes what a host has recorded. */
  recorded({ held, steps, last }: ClockState): void {
    const { people, time } = this.#options;
    this.#recorded = held;
    if (steps === this.#steps || last?.kind !== 'set_back') return;
    this.#steps = steps;
    time.storeAhead += time.jump;
    time.jump = 0;
    this.wasSetBack = true;
    people.clockSetBack(last.at, last.at + last.by);
  }

  /** Lets the clock jump ahead, until it goes back or somebody confirms it. */
  jumpAhead(): void {
    const { time, random } = this.#options;
    // Nothing tells a jump from the passing of time before a host has read the clock for the first time.
    if (time.jump !== 0 || this.isUnrecorded || !this.#options.wasRead()) return;
    time.jump = random.pick([2, 10, 60, 1440]) * minute + random.integer(0, 59_999);
    const isRight = time.jump < 65 * minute && random.chance(0.4);
    time.in(random.integer(10, 600) * second, () => {
      if (isRight) this.#confirm();
      else time.jump = 0;
    });
  }

  /** Sets the clock back for good, so that it shows time again that it has shown before. */
  setBack(): void {
    const { time, random } = this.#options;
    if (time.jump !== 0 || this.isUnrecorded) return;
    time.jump = -(random.pick([2, 10, 60]) * minute + random.integer(0, 59_999));
  }

  /** Suspends all machines for minutes. */
  suspend(): void {
    const { time, random, outages } = this.#options;
    // Nothing tells a clock that is set back from one that stood still, if the machine was suspended for as long.
    if (time.jump < 0) return;
    const from = time.storeNow;
    time.suspend(random.integer(second, 30 * minute));
    outages.push({ from, to: time.storeNow });
  }

  /** Lets the clock go back to the right time, and leaves it alone. */
  end(): void {
    this.#ended = true;
    this.#options.time.jump = 0;
  }

  /** Confirms a jump once a host has recorded it: from then on it is the right time. */
  #confirm(): void {
    const { time, people, outages, onError } = this.#options;
    if (this.#ended) return;
    if (this.isUnrecorded) {
      time.in(10 * second, () => this.#confirm());
      return;
    }
    const confirmed = () => {
      outages.push({ from: time.storeNow, to: time.storeNow + time.jump });
      time.storeAhead += time.jump;
      time.jump = 0;
      this.#recorded = 0;
      time.moveTo(time.now);
    };
    people.confirmClock().then(confirmed, onError);
  }
}
