import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Instant, Milliseconds } from '@horarium/core';
import { timeSlice } from '#core/loop/yield-to-event-loop';

interface Event {
  readonly at: Instant;
  readonly order: number;
  readonly action: () => void;
}

/** How far an ordinary correction moves the store's clock at most. */
const maxCorrection: Milliseconds = 1000;

/** Real time as a queue of events, known to the simulation only; hosts and the store see clocks that deviate from it. */
export class VirtualTime {
  /** The real time. */
  now: Instant;
  readonly start: Instant;
  /** What the store's clock shows minus its right time: how far it jumped. */
  jump: Milliseconds = 0;
  /** How long all machines were suspended so far, in which their monotonic clocks stood still. */
  suspended: Milliseconds = 0;
  /** The latest time that the store's clock has shown. */
  storeLatest: Instant;
  readonly #events: Event[] = [];
  /** How far the store's right time was ahead of the real time, from each moment on. */
  readonly #storeAhead: { readonly from: Instant; readonly ahead: Milliseconds }[] = [];
  #order = 0;

  constructor(start: Instant) {
    this.now = start;
    this.start = start;
    this.storeLatest = start;
    // What gives way by real time would go on at another moment in each run.
    timeSlice.duration = Infinity;
  }

  /** The right time of the store's clock minus the real time. */
  get storeAhead(): Milliseconds {
    return this.#storeAhead.at(-1)?.ahead ?? 0;
  }

  set storeAhead(ahead: Milliseconds) {
    this.#storeAhead.push({ from: this.now, ahead });
  }

  /** The right time of the store's clock at a real time. */
  storeTimeOf(real: Instant): Instant {
    return real + (this.#storeAhead.findLast(({ from }) => from <= real)?.ahead ?? 0);
  }

  /**
   * The first and the last of the times that may be stored of what happened at a real time, read at any time since then: the
   * store's clock was corrected meanwhile, or a jump was confirmed. While a jump is held, the service goes on by its hosts from
   * what the clock showed before, so that it knows none of the corrections since.
   */
  storeTimesOf(real: Instant): { readonly first: Instant; readonly last: Instant } {
    const aheads = [{ from: this.start, ahead: 0 }, ...this.#storeAhead];
    let begin = aheads.findLastIndex(({ from }) => from <= real);
    const correction = (index: number) => (aheads[index]?.ahead ?? 0) - (aheads[index - 1]?.ahead ?? 0);
    while (begin > 0 && Math.abs(correction(begin)) <= maxCorrection) begin--;
    const all = aheads.slice(begin).map(({ ahead }) => real + ahead);
    return { first: Math.min(...all), last: Math.max(...all) };
  }

  /** The right time of the store's clock, which it shows unless it has jumped. */
  get storeNow(): Instant {
    return this.now + this.storeAhead;
  }

  /** Plans an action; those of one moment run in the order in which they were planned. */
  at(moment: Instant, action: () => void): void {
    const event = { at: Math.max(Math.ceil(moment), this.now), order: this.#order++, action };
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1] as Event).at <= event.at) index--;
    this.#events.splice(index, 0, event);
  }

  in(duration: Milliseconds, action: () => void): void {
    this.at(this.now + duration, action);
  }

  get nextEvent(): Instant {
    return this.#events.at(-1)?.at ?? Infinity;
  }

  /** Moves to the next event and runs it. @throws Error when there is none. */
  runNextEvent(): void {
    const event = this.#events.pop();
    if (!event) throw new Error('There is no further event.');
    this.moveTo(event.at);
    event.action();
  }

  /** Lets that much time pass and runs the events that are due in it. */
  async pass(duration: Milliseconds): Promise<void> {
    const until = this.now + duration;
    await nextTurn();
    while (this.nextEvent <= until) {
      this.runNextEvent();
      await nextTurn();
    }
    this.moveTo(until);
  }

  /** Suspends all machines for that long; what is planned in it happens when they resume. */
  suspend(duration: Milliseconds): void {
    this.suspended += duration;
    this.moveTo(this.now + duration);
  }

  moveTo(moment: Instant): void {
    this.now = Math.max(this.now, moment);
    this.storeLatest = Math.max(this.storeLatest, this.storeNow);
  }

  /** The clock of the store, by which leases and deadlines are decided. */
  readonly storeClock: Clock = {
    now: () => this.storeNow + this.jump,
    elapsed: () => this.now - this.suspended,
    uptime: () => this.now,
    boot: 'boot',
    sleep: (duration, signal) => this.sleep(duration, signal),
  };

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve());
      this.in(duration, resolve);
    });
  }
}

/** A host's own clock: its time of day deviates and may be changed, its monotonic time is right. */
export class HostClock implements Clock {
  ahead: Milliseconds;
  readonly boot: string;
  /** How long its virtual machine was paused so far, which none of its clocks but the time of day shows. */
  paused: Milliseconds = 0;
  readonly #time: VirtualTime;
  readonly #bootedAt: Instant;

  constructor(time: VirtualTime, ahead: Milliseconds, boot = 'boot') {
    this.#time = time;
    this.ahead = ahead;
    this.boot = boot;
    this.#bootedAt = time.start - 12_345;
  }

  now(): Instant {
    return this.#time.now + this.ahead;
  }

  elapsed(): Milliseconds {
    return this.uptime() - this.#time.suspended;
  }

  uptime(): Milliseconds {
    return this.#time.now - this.#bootedAt - this.paused;
  }

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return this.#time.sleep(duration, signal);
  }
}
