import { AsyncLocalStorage } from 'node:async_hooks';
import type { HolderContext, Milliseconds } from '@horarium/core';

/** Carries each request along what it awaits, so that it is known whenever it goes on. */
export const holders: HolderContext = new AsyncLocalStorage();

/** What a request costs: the time for which it uses the thread, charged to its user as soon as the user is known. */
export class RequestCost {
  #used: Milliseconds = 0;
  #charge: ((before: Milliseconds, used: Milliseconds) => void) | null = null;

  /** Called after each stretch of time in which the request has used the thread. */
  readonly add = (duration: Milliseconds): void => {
    const before = this.#used;
    this.#used += duration;
    this.#charge?.(before, this.#used);
  };

  /** @param charge is called with the time that was charged before, and that of now. */
  chargeBy(charge: (before: Milliseconds, used: Milliseconds) => void): void {
    this.#charge = charge;
    charge(0, this.#used);
  }
}
