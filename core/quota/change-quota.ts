import { TooManyRequests } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import { storedSize } from '../store/rows.ts';
import type { Store, Tables } from '../store/store.ts';
import { day } from '../time/duration.ts';
import { DailyQuota } from './daily-quota.ts';
import { dayOf, noDailyLimits, resetOf, type UsageOwner } from './daily-usage.ts';

/** How often counts are written to the store, where other processes read them. */
const interval: Milliseconds = 1000;

/**
 * What users may still change today: the bytes of rows, audit entries and stored responses that their changes write, for
 * each company, or for the user where a change belongs to no company. Administrators and the service itself are not
 * limited, and what they write does not count.
 *
 * A change reads the store once a day for its company, and writes no count: the next tick does. So the limit is exceeded by
 * the change that reaches it, by those under way, and by what other processes write within a second.
 */
export class ChangeQuota implements Ticker {
  readonly name = 'usage of changes';
  readonly #store: Store;
  readonly #quota: DailyQuota;
  readonly #isLimited: boolean;

  /** @param maxChangesPerDay in bytes; Infinity = any number, and nothing is counted */
  constructor(store: Store, maxChangesPerDay: number) {
    this.#store = store;
    this.#isLimited = maxChangesPerDay !== Infinity;
    this.#quota = new DailyQuota(`changes ${crypto.randomUUID()}`, { ...noDailyLimits, maxChangesPerDay });
  }

  /** Writes what was counted. */
  async tick(): Promise<Milliseconds> {
    if (this.#quota.hasUnsaved) await this.#store.transaction((tables) => this.#quota.sync(tables, []));
    return this.#isLimited ? interval : day;
  }

  /** Meters the changes of a transaction; null = those of this actor have no limit. */
  meter(tables: Tables, actor: Actor): ChangeMeter | null {
    const { userId } = actor;
    if (!this.#isLimited || userId === null || isAdmin(actor)) return null;
    return new ChangeMeter(this.#quota, tables, userId);
  }
}

/** Counts the changes of one transaction when it is committed, and refuses them where the day is used up. */
export class ChangeMeter {
  readonly #quota: DailyQuota;
  readonly #tables: Tables;
  readonly #userId: number;

  constructor(quota: DailyQuota, tables: Tables, userId: number) {
    this.#quota = quota;
    this.#tables = tables;
    this.#userId = userId;
  }

  /**
   * Admits a change before it is written.
   * @param company null = the change belongs to none.
   * @throws TooManyRequests naming the limit and when it ends.
   */
  async admit(company: number | null): Promise<void> {
    const owner = this.#ownerOf(company);
    await this.#quota.load(this.#tables, owner);
    if (this.#quota.room('changes', owner) > 0) return;
    const message = `The change is refused: ${this.#quota.refusal('changes', owner)}.`;
    const now = await this.#tables.now();
    throw new TooManyRequests(message, resetOf(dayOf(now)) - now);
  }

  /** Counts what was written, once the transaction is committed. */
  count(company: number | null, written: unknown): void {
    const owner = this.#ownerOf(company);
    const bytes = storedSize(written);
    this.#tables.afterCommit(() => this.#quota.count('changes', owner, bytes));
  }

  #ownerOf(company: number | null): UsageOwner {
    return company === null ? `user ${this.#userId}` : `company ${company}`;
  }
}
