import type { Clock, Milliseconds } from './clock.ts';

/** A piece of background work, done a bounded bit at a time. */
export interface Ticker {
  readonly name: string;
  /** Does what is due and says when to come back; 0 = there is more to do at once. */
  tick(): Promise<Milliseconds>;
  /**
   * The least time between two ticks, also when the ticker is woken: what happens meanwhile is done in one batch. Read
   * when it is woken; none = at once.
   */
  readonly debounce?: Milliseconds;
}

export interface LoopOptions {
  readonly clock: Clock;
  readonly tickers: readonly Ticker[];
  /** A tick failed; it is tried again after the wait. */
  onError(tick: string, error: unknown, wait: Milliseconds): void;
}

const firstWait: Milliseconds = 100;
const longestWait: Milliseconds = 5000;

/** Runs ticks side by side, each when it asked to be called again or was woken, until it is stopped. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #bells = new Map<string, Bell>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
    for (const tick of options.tickers) this.#bells.set(tick.name, new Bell());
  }

  start(): void {
    this.#running = Promise.all(this.#options.tickers.map((tick) => this.#run(tick)));
  }

  /** Lets a tick begin at once; while it is busy, right after it has ended. */
  wake(name: string): void {
    this.#bells.get(name)?.ring();
  }

  /** Begins no further tick; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const bell of this.#bells.values()) bell.ring();
    await this.#running;
  }

  async #run(tick: Ticker): Promise<void> {
    const bell = this.#bells.get(tick.name) as Bell;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      bell.arm();
      try {
        const wait = await tick.tick();
        failures = 0;
        await this.#pause(wait, bell, tick);
      } catch (error) {
        const wait = Math.min(firstWait * 2 ** Math.min(failures, 10), longestWait);
        failures += 1;
        this.#options.onError(tick.name, error, wait);
        await this.#options.clock.sleep(wait, this.#stop.signal);
      }
    }
  }

  async #pause(wait: Milliseconds, bell: Bell, tick: Ticker): Promise<void> {
    const { clock } = this.#options;
    const ended = clock.elapsed();
    const given = new AbortController();
    // With a reason of its own: the one that is made otherwise is an exception with its whole stack.
    const ring = () => given.abort('rung');
    bell.onRing = ring;
    if (bell.rung || this.#stop.signal.aborted) ring();
    await clock.sleep(wait, given.signal);
    bell.onRing = null;
    const early = ended + (tick.debounce ?? 0) - clock.elapsed();
    if (early > 0) await clock.sleep(early, this.#stop.signal);
  }
}

/** Remembers that it was rung while nobody was listening. */
class Bell {
  rung = false;
  onRing: (() => void) | null = null;

  arm(): void {
    this.rung = false;
  }

  ring(): void {
    this.rung = true;
    this.onRing?.();
  }
}
