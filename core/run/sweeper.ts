import type { AuditedStore } from '../audit/audited-store.ts';
import type { Beat } from '../loop/beat.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../resource/store.ts';

/** Forgets a bounded number of what is too old to matter. True = there is more. */
export type Sweep = (tables: Tables) => Promise<boolean>;

const pause: Milliseconds = 10 * 60_000;
const actor = trustedActor('sweeper');

/** Keeps the service's own books small: what only mattered for a while is forgotten. */
export class Sweeper implements Beat {
  readonly name = 'sweeper';
  readonly #store: AuditedStore;
  readonly #sweeps: readonly Sweep[];

  constructor(store: AuditedStore, sweeps: readonly Sweep[]) {
    this.#store = store;
    this.#sweeps = sweeps;
  }

  async beat(): Promise<Milliseconds> {
    const more: boolean[] = [];
    for (const sweep of this.#sweeps) more.push(await this.#store.transaction(actor, sweep));
    return more.includes(true) ? 0 : pause;
  }
}
