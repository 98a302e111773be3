import type { Clock, Milliseconds } from '@horarium/core';

/** A signal that asks a process to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The part of a process that is needed here, so that a test can send the signals. */
export interface Signals {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

/**
 * One Ctrl-C reaches the process twice where a parent forwards what the terminal has sent to the whole group already,
 * as npm does. No human presses twice that quickly.
 */
const echo: Milliseconds = 300;

/** Distinguishes the first request to stop from the second one, which asks to end at once. */
export class StopSignals implements Disposable {
  /** The first signal. */
  readonly asked: Promise<string>;
  /** The second signal. */
  readonly insisted: Promise<string>;
  readonly #signals: Signals;
  readonly #which: readonly StopSignal[];
  readonly #listener: (signal: string) => void;

  constructor(signals: Signals, clock: Pick<Clock, 'elapsed'>, which: readonly StopSignal[]) {
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    let askedAt: Milliseconds | null = null;
    this.asked = first.promise;
    this.insisted = second.promise;
    this.#signals = signals;
    this.#which = which;
    this.#listener = (signal) => {
      if (askedAt === null) {
        askedAt = clock.elapsed();
        first.resolve(signal);
      } else if (clock.elapsed() - askedAt >= echo) second.resolve(signal);
    };
    for (const signal of which) signals.on(signal, this.#listener);
  }

  [Symbol.dispose](): void {
    for (const signal of this.#which) this.#signals.off(signal, this.#listener);
  }
}
