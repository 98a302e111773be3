import type { Clock, Milliseconds } from './clock.ts';
import type { EventLoopWatch } from './event-loop-watch.ts';

/** A piece of background work that is done in bounded ticks. */
export interface Ticker {
  readonly name: string;
  /** Does the work that is due and returns how long to wait until the next tick; 0 = there is more to do at once. */
  tick(): Promise<Milliseconds>;
  /**
   * The minimum time between two ticks, also when the ticker is woken, so that what happens meanwhile is done in one
   * batch. It is read when the ticker is woken; none = at once.
   */
  readonly debounce?: Milliseconds;
}

export interface LoopOptions {
  readonly clock: Clock;
  readonly tickers: readonly Ticker[];
  /** Is told of each tick, so that it knows what blocks the event loop; it ticks along with the others. @default none */
  readonly watch?: EventLoopWatch;
  /** Reports that a tick failed; it is retried after the wait. */
  onError(ticker: string, error: unknown, wait: Milliseconds): void;
}

/**
 * How long a ticker waits after a tick that could do nothing about what is due, because other transactions lock it or it
 * belongs to another ticker.
 */
export const stalledWait: Milliseconds = 50;

/** The number of ticks that must fail in a row before a ticker counts as failing: one may fail because of others. */
const minFailures = 3;

/** How long a tick, which is bounded, takes at most, unless it waits for something such as a lock of another program. */
const longestTick: Milliseconds = 30_000;

const firstWait: Milliseconds = 100;
const maxWait: Milliseconds = 5000;

/** Runs tickers concurrently until it is stopped: each ticks when its wait is over, or when it is woken. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #signals: ReadonlyMap<Ticker, WakeSignal>;
  /** How many ticks of a ticker have failed in a row. */
  readonly #failures = new Map<Ticker, number>();
  /** When the ticks that are under way have begun. */
  readonly #begun = new Map<Ticker, Milliseconds>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
    const tickers = options.watch ? [options.watch, ...options.tickers] : options.tickers;
    this.#signals = new Map(tickers.map((ticker) => [ticker, new WakeSignal()]));
  }

  start(): void {
    this.#running = Promise.all([...this.#signals].map(([ticker, signal]) => this.#run(ticker, signal)));
  }

  /**
   * Starts the ticker's next tick at once, or right after the one that runs.
   * @throws Error when this loop does not run the ticker.
   */
  wake(ticker: Ticker): void {
    const signal = this.#signals.get(ticker);
    if (!signal) throw new Error(`This loop does not run the ticker ${ticker.name}.`);
    signal.wake();
  }

  /** Names the tickers whose last ticks have failed, several in a row. */
  get failing(): string[] {
    return [...this.#failures].filter(([, count]) => count >= minFailures).map(([{ name }]) => name);
  }

  /** Names the tickers whose tick does not end: what they do is not done meanwhile. */
  get hanging(): string[] {
    const now = this.#options.clock.elapsed();
    return [...this.#begun].filter(([, begun]) => now - begun > longestTick).map(([{ name }]) => name);
  }

  /** Starts no further tick; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const signal of this.#signals.values()) signal.wake();
    await this.#running;
  }

  async #run(ticker: Ticker, signal: WakeSignal): Promise<void> {
    while (!this.#stop.signal.aborted) {
      signal.reset();
      try {
        const wait = await this.#tick(ticker);
        this.#failures.delete(ticker);
        await this.#pause(wait, signal, ticker);
      } catch (error) {
        const failures = this.#failures.get(ticker) ?? 0;
        const wait = Math.min(firstWait * 2 ** Math.min(failures, 10), maxWait);
        this.#failures.set(ticker, failures + 1);
        this.#options.onError(ticker.name, error, wait);
        await this.#options.clock.sleep(wait, this.#stop.signal);
      }
    }
  }

  async #tick(ticker: Ticker): Promise<Milliseconds> {
    const { clock, watch } = this.#options;
    this.#begun.set(ticker, clock.elapsed());
    try {
      if (!watch || ticker === watch) return await ticker.tick();
      return await watch.run(`tick ${ticker.name}`, () => ticker.tick());
    } finally {
      this.#begun.delete(ticker);
    }
  }

  async #pause(wait: Milliseconds, signal: WakeSignal, ticker: Ticker): Promise<void> {
    const { clock } = this.#options;
    const pauseStart = clock.elapsed();
    const waking = new AbortController();
    // The abort has a reason of its own, because the default one is an exception with a stack trace.
    const wakeUp = () => waking.abort('woken');
    signal.onWake = wakeUp;
    if (signal.woken || this.#stop.signal.aborted) wakeUp();
    await clock.sleep(wait, waking.signal);
    signal.onWake = null;
    const remaining = pauseStart + (ticker.debounce ?? 0) - clock.elapsed();
    if (remaining > 0) await clock.sleep(remaining, this.#stop.signal);
  }
}

/** Remembers that the ticker was woken while it was ticking. */
class WakeSignal {
  woken = false;
  onWake: (() => void) | null = null;

  reset(): void {
    this.woken = false;
  }

  wake(): void {
    this.woken = true;
    this.onWake?.();
  }
}
