import type { Clock, Milliseconds } from '@horarium/core';

/** Those that ask a process to end. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What of a process this needs; a test stands in for it. */
export interface Signals {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

/**
 * One Ctrl-C reaches the process twice where a parent passes on what the terminal has sent to everybody already, as
 * npm does. No human presses twice that quickly.
 */
const echo: Milliseconds = 300;

/** Tells the first wish to stop from the second one, which no longer wants to wait. */
export class StopSignals implements Disposable {
  /** The first signal. */
  readonly asked: Promise<string>;
  /** Another one after that. */
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
