import type { AuditedStore } from '../audit/audited-store.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { retentionActor } from './retention-actor.ts';

/** A table whose rows are deleted when they are old. */
interface Prunable {
  /** Deletes a bounded number of old rows. @returns whether there are more. */
  prune(tables: Tables): Promise<boolean>;
}

const interval: Milliseconds = 10 * 60_000;

/** Deletes expired rows of the service's own bookkeeping, such as idempotency keys. */
export class ExpiredBookkeeping implements Ticker {
  readonly name = 'expired bookkeeping';
  readonly #store: AuditedStore;
  readonly #tables: readonly Prunable[];

  constructor(store: AuditedStore, tables: readonly Prunable[]) {
    this.#store = store;
    this.#tables = tables;
  }

  async tick(): Promise<Milliseconds> {
    let hasMore = false;
    for (const each of this.#tables) {
      await yieldToEventLoop();
      hasMore = (await this.#store.transaction(retentionActor, (tables) => each.prune(tables))) || hasMore;
    }
    return hasMore ? 0 : interval;
  }
}
