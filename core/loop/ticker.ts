import type { Milliseconds } from './clock.ts';

/** A piece of background work, done a bounded bit at a time. */
export interface Ticker {
  readonly name: string;
  /** Does what is due and says when to come back; 0 = there is more to do at once. */
  tick(): Promise<Milliseconds>;
  /**
   * How long after the last tick the next one may begin at the earliest, though it was woken: what happens meanwhile
   * is done together. Asked when it is woken; none = at once.
   */
  readonly gathering?: Milliseconds;
}
