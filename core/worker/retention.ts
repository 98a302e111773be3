import type { AuditedStore } from '../audit/audited-store.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/ticker.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';

/** Forgets a bounded number of what is too old to matter. True = there is more. */
export type Prune = (tables: Tables) => Promise<boolean>;

const pause: Milliseconds = 10 * 60_000;
const actor = trustedActor('retention');

/** Keeps the service's own books small: what only mattered for a while is forgotten. */
export class Retention implements Ticker {
  readonly name = 'retention';
  readonly #store: AuditedStore;
  readonly #sweeps: readonly Prune[];

  constructor(store: AuditedStore, prunes: readonly Prune[]) {
    this.#store = store;
    this.#sweeps = prunes;
  }

  async tick(): Promise<Milliseconds> {
    const more: boolean[] = [];
    for (const prune of this.#sweeps) more.push(await this.#store.transaction(actor, prune));
    return more.includes(true) ? 0 : pause;
  }
}
