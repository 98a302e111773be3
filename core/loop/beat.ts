import type { Milliseconds } from './clock.ts';

/** A piece of background work, done a bounded bit at a time. */
export interface Beat {
  readonly name: string;
  /** Does what is due and says when to come back; 0 = there is more to do at once. */
  beat(): Promise<Milliseconds>;
}
