import type { Clock, Milliseconds } from '@horarium/core';

/** A signal that asks a process to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Subscribes to the signals of a process. `process` is one; a test brings its own and sends the signals itself. */
export interface Signals {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

/**
 * The time within which a second signal is a duplicate of the first. The terminal sends Ctrl-C to the whole process
 * group, and a parent such as npm forwards it once more. No human presses twice that quickly.
 */
const duplicateWithin: Milliseconds = 300;

/** Listens for signals that stop the service: the first one shuts it down gracefully, the second one at once. */
export class StopSignals implements Disposable {
  /** Resolves with the first signal. */
  readonly first: Promise<StopSignal>;
  /** Resolves with the second signal. */
  readonly second: Promise<StopSignal>;
  readonly #signals: Signals;
  readonly #names: readonly StopSignal[];
  readonly #listener: (signal: StopSignal) => void;

  constructor(signals: Signals, clock: Pick<Clock, 'elapsed'>, names: readonly StopSignal[]) {
    const first = Promise.withResolvers<StopSignal>();
    const second = Promise.withResolvers<StopSignal>();
    let firstAt: Milliseconds | null = null;
    this.first = first.promise;
    this.second = second.promise;
    this.#signals = signals;
    this.#names = names;
    this.#listener = (signal) => {
      if (firstAt === null) {
        firstAt = clock.elapsed();
        first.resolve(signal);
      } else if (clock.elapsed() - firstAt >= duplicateWithin) second.resolve(signal);
    };
    for (const name of names) signals.on(name, this.#listener);
  }

  [Symbol.dispose](): void {
    for (const name of this.#names) this.#signals.off(name, this.#listener);
  }
}
