import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Instant, Milliseconds } from '@horarium/core';

interface Event {
  readonly at: Instant;
  readonly order: number;
  readonly happen: () => void;
}

/** How far the clocks of the world are away from the real time, which only the driver knows. */
export class VirtualTime {
  /** The real time. */
  now: Instant;
  /** What the store's clock shows minus the real time. */
  storeAhead: Milliseconds = 0;
  /** The latest time that the store's clock has shown. */
  storeLatest: Instant;
  readonly #events: Event[] = [];
  #order = 0;

  constructor(start: Instant) {
    this.now = start;
    this.storeLatest = start;
  }

  get storeNow(): Instant {
    return this.now + this.storeAhead;
  }

  /** What happens at one moment happens in the order in which it was asked for. */
  at(moment: Instant, happen: () => void): void {
    const event = { at: Math.max(Math.ceil(moment), this.now), order: this.#order++, happen };
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1] as Event).at <= event.at) index--;
    this.#events.splice(index, 0, event);
  }

  in(duration: Milliseconds, happen: () => void): void {
    this.at(this.now + duration, happen);
  }

  get nextEvent(): Instant {
    return this.#events.at(-1)?.at ?? Infinity;
  }

  /** Lets the next event happen, if one is due by then. */
  takeEvent(): void {
    const event = this.#events.pop();
    if (!event) throw new Error('Nothing more will happen.');
    this.moveTo(event.at);
    event.happen();
  }

  /** Lets that much time go by, and everything happen that is due in it. */
  async pass(duration: Milliseconds): Promise<void> {
    const until = this.now + duration;
    await turn();
    while (this.nextEvent <= until) {
      this.takeEvent();
      await turn();
    }
    this.moveTo(until);
  }

  moveTo(moment: Instant): void {
    this.now = Math.max(this.now, moment);
    this.storeLatest = Math.max(this.storeLatest, this.storeNow);
  }

  /** The clock that leases and deadlines are judged by. */
  readonly storeClock: Clock = {
    now: () => this.storeNow,
    elapsed: () => this.now,
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

/** A host's own clock: its time of day is wrong and may be set anew, its stopwatch just runs. */
export class HostClock implements Clock {
  ahead: Milliseconds;
  readonly #time: VirtualTime;
  readonly #bootedAt: Instant;

  constructor(time: VirtualTime, ahead: Milliseconds) {
    this.#time = time;
    this.ahead = ahead;
    this.#bootedAt = time.now - 12_345;
  }

  now(): Instant {
    return this.#time.now + this.ahead;
  }

  elapsed(): Milliseconds {
    return this.#time.now - this.#bootedAt;
  }

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return this.#time.sleep(duration, signal);
  }
}
