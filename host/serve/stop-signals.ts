import type { Clock, Milliseconds } from '@horarium/core';

/** What of a process this needs; a test stands in for it. */
export interface Signals {
  on(signal: 'SIGINT' | 'SIGTERM', listener: (signal: 'SIGINT' | 'SIGTERM') => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: (signal: 'SIGINT' | 'SIGTERM') => void): unknown;
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
  readonly #listener: (signal: string) => void;

  constructor(signals: Signals, clock: Pick<Clock, 'elapsed'>) {
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    let askedAt: Milliseconds | null = null;
    this.asked = first.promise;
    this.insisted = second.promise;
    this.#signals = signals;
    this.#listener = (signal) => {
      if (askedAt === null) {
        askedAt = clock.elapsed();
        first.resolve(signal);
      } else if (clock.elapsed() - askedAt >= echo) second.resolve(signal);
    };
    signals.on('SIGINT', this.#listener);
    signals.on('SIGTERM', this.#listener);
  }

  [Symbol.dispose](): void {
    this.#signals.off('SIGINT', this.#listener);
    this.#signals.off('SIGTERM', this.#listener);
  }
}
