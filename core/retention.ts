import type { AuditedStore } from './audit/audited-store.ts';
import type { Milliseconds } from './loop/clock.ts';
import type { Ticker } from './loop/loop.ts';
import { trustedActor } from './resource/actor.ts';
import type { Tables } from './store/store.ts';

/** Deletes a bounded number of expired rows. @returns whether there are more. */
export type Prune = (tables: Tables) => Promise<boolean>;

const interval: Milliseconds = 10 * 60_000;
const actor = trustedActor('retention');

/** Deletes expired rows of the service's own tables, such as idempotency keys. */
export class Retention implements Ticker {
  readonly name = 'retention';
  readonly #store: AuditedStore;
  readonly #prunes: readonly Prune[];

  constructor(store: AuditedStore, prunes: readonly Prune[]) {
    this.#store = store;
    this.#prunes = prunes;
  }

  async tick(): Promise<Milliseconds> {
    let hasMore = false;
    for (const prune of this.#prunes) hasMore = (await this.#store.transaction(actor, prune)) || hasMore;
    return hasMore ? 0 : interval;
  }
}
