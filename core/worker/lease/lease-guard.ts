import type { Milliseconds } from '../../loop/clock.ts';
import type { Ticker } from '../../loop/loop.ts';
import type { Worker } from '../worker.ts';

const minWait: Milliseconds = 100;

/** Abandons the attempts of a worker before its lease runs out, also while the store does not answer. */
export class LeaseGuard implements Ticker {
  readonly name = 'lease guard';
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  async tick(): Promise<Milliseconds> {
    const { attempts, untilAbandoning } = this.#worker.epoch;
    if (untilAbandoning > 0 || attempts.size === 0) return Math.max(untilAbandoning, minWait);
    this.#worker.abandonAttempts();
    return 0;
  }
}
