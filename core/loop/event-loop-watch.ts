import type { Clock, Milliseconds } from './clock.ts';
import { holdingThread, holdingThreadFor, switchThreadTo, type ThreadHolder } from './thread-holder.ts';

/** A stretch of time in which the event loop of this process was blocked: nothing else was done. */
export interface EventLoopBlock {
  readonly duration: Milliseconds;
  /** The name of the work that blocked it, such as `tick scheduler`; null where that is unknown. */
  readonly by: string | null;
  /** The names of all work that was under way. Without any, the process was stopped. */
  readonly underWay: readonly string[];
}

/** Does synchronous work that may block the event loop, and times it under that name. */
export type SyncTimer = <T>(by: string, work: () => T) => T;

/** Times nothing. */
export const untimed: SyncTimer = (_by, work) => work();

/** For how long the event loop may be blocked before that is reported. */
const limit: Milliseconds = 200;
const interval: Milliseconds = 100;
/** From which duration on it is worth a system call to ask how much of a stretch the process waited for a processor. */
const noticeable: Milliseconds = 20;

/**
 * Reports what blocks the event loop, which has one thread for all companies. Work has a name of a short list, such as that
 * of a ticker or a route, and is timed whenever it holds the thread. Of a tick of the watch itself that is late for another
 * reason it reports the work that was under way, which is the culprit if it is a single one. The time in which the process
 * waited for a processor counts for nothing, because no work of the service is to blame.
 */
export class EventLoopWatch {
  readonly name = 'event loop watch';
  readonly #clock: Pick<Clock, 'elapsed' | 'cpuDelay'>;
  readonly #listeners: Set<(block: EventLoopBlock) => void>;
  /** How often each work is under way. */
  readonly #underWay = new Map<string, number>();
  /** The work that has ended since the last tick. */
  readonly #ended = new Set<string>();
  /** How much of the time since the last tick is attributed. */
  #attributed: Milliseconds = 0;
  /** When the next tick should begin; null before the first. */
  #nextTick: Milliseconds | null = null;
  /** How long the process had waited for a processor when that was last read. */
  #cpuDelay: Milliseconds = 0;

  /** @param listener called for each block. */
  constructor(clock: Pick<Clock, 'elapsed' | 'cpuDelay'>, listener: (block: EventLoopBlock) => void) {
    this.#clock = clock;
    this.#listeners = new Set([listener]);
  }

  /** Also calls back this listener for each block. */
  onBlocked(listener: (block: EventLoopBlock) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Does work, and times each stretch in which it holds the thread.
   * @param by one of few names: it becomes a label of metrics.
   * @param onHeld called after each stretch, with its duration without waits for a processor.
   */
  async run<T>(by: string, work: () => Promise<T>, onHeld?: (duration: Milliseconds) => void): Promise<T> {
    const holder = this.#holder(by, onHeld);
    this.#underWay.set(by, (this.#underWay.get(by) ?? 0) + 1);
    try {
      return await holdingThread(holder, work);
    } finally {
      this.#end(by);
    }
  }

  /** Does synchronous work, and attributes its time to it and not to the work that it is part of. */
  readonly sync: SyncTimer = (by, work) => holdingThreadFor(this.#holder(by), work);

  /** Passes a stream on; each of its steps is work of that name. */
  async *each<T>(
    by: string,
    stream: AsyncIterable<T>,
    onHeld?: (duration: Milliseconds) => void,
  ): AsyncGenerator<T, void> {
    const source = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await this.run(by, () => source.next(), onHeld);
        if (step.done) return;
        yield step.value;
      }
    } finally {
      await source.return?.();
    }
  }

  async tick(): Promise<Milliseconds> {
    switchThreadTo(undefined);
    const now = this.#clock.elapsed();
    const late = this.#nextTick === null ? 0 : now - this.#nextTick - this.#attributed;
    if (late > limit) {
      const names = this.#names();
      this.#report(late, this.#usedOf(late), names.length === 1 ? (names[0] as string) : null, names);
    }
    this.#cpuDelay = this.#readDelay();
    this.#nextTick = now + interval;
    this.#attributed = 0;
    this.#ended.clear();
    return interval;
  }

  #holder(by: string, onHeld?: (duration: Milliseconds) => void): ThreadHolder {
    let since: Milliseconds = 0;
    return {
      taken: () => {
        since = this.#clock.elapsed();
      },
      released: () => {
        const duration = this.#clock.elapsed() - since;
        const used = duration > noticeable ? this.#usedOf(duration) : duration;
        onHeld?.(used);
        if (duration > limit) this.#report(duration, used, by, this.#names(by));
      },
    };
  }

  /** Reports a stretch, unless the process waited for a processor in most of it. */
  #report(duration: Milliseconds, used: Milliseconds, by: string | null, underWay: readonly string[]): void {
    this.#attributed += duration;
    if (used > limit) for (const listener of this.#listeners) listener({ duration: used, by, underWay });
  }

  /** Returns how much of a stretch that ends now the process did not wait for a processor. */
  #usedOf(duration: Milliseconds): Milliseconds {
    const delay = this.#readDelay();
    const waited = delay - this.#cpuDelay;
    this.#cpuDelay = delay;
    return Math.max(0, duration - waited);
  }

  #readDelay(): Milliseconds {
    return this.#clock.cpuDelay?.() ?? 0;
  }

  #end(by: string): void {
    const others = (this.#underWay.get(by) ?? 1) - 1;
    if (others > 0) this.#underWay.set(by, others);
    else this.#underWay.delete(by);
    this.#ended.add(by);
  }

  /** The names of the work that was under way since the last tick. */
  #names(...more: readonly string[]): readonly string[] {
    return [...new Set([...more, ...this.#underWay.keys(), ...this.#ended])];
  }
}

/** Describes a block in a sentence. */
export function describeBlock({ duration, by, underWay }: EventLoopBlock): string {
  const blocked = `The event loop was blocked for ${Math.round(duration)} ms`;
  if (by !== null) return `${blocked} by: ${by}.`;
  if (underWay.length > 0) return `${blocked} by one of: ${underWay.join(', ')}.`;
  return `${blocked}, while no work of the service was under way.`;
}
