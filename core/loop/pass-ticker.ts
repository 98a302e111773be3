import type { Clock, Milliseconds } from './clock.ts';
import type { Ticker } from './loop.ts';

/** Work that is begun now and then, and done in bounded steps. */
export interface Pass {
  /**
   * How long its ticker rests after each step, in parts of what the step took: requests and jobs have their turns.
   * @default 1
   */
  readonly rest?: number;
  /** @returns whether there is more to do. */
  step(): Promise<boolean>;
}

export interface PassTickerOptions {
  readonly name: string;
  readonly clock: Pick<Clock, 'elapsed'>;
  begin(): Promise<Pass>;
}

/** How long after its start a service begins the first pass, and how long after each pass the next one. */
const firstWait: Milliseconds = 60_000;
const interval: Milliseconds = 60 * 60_000;

/** Makes passes, a step a tick. A pass that fails is given up, and another one begun. */
export class PassTicker implements Ticker {
  readonly name: string;
  readonly #options: PassTickerOptions;
  #hasWaited = false;
  #pass: Pass | null = null;

  constructor(options: PassTickerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { clock, begin } = this.#options;
    if (!this.#hasWaited) {
      this.#hasWaited = true;
      return firstWait;
    }
    const start = clock.elapsed();
    const pass = this.#pass ?? (await begin());
    this.#pass = null;
    if (!(await pass.step())) return interval;
    this.#pass = pass;
    return (clock.elapsed() - start) * (pass.rest ?? 1);
  }
}
