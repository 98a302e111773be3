import { TooManyRequests } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import { storedSize } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import {
  DailyUsage,
  dayOf,
  describeExhausted,
  noDailyLimits,
  resetOf,
  type UsageOwner,
  usageKey,
} from './daily-usage.ts';

/** The bytes that a transaction has written for each company; null = what belongs to none. */
export class WrittenBytes {
  readonly #bytes = new Map<number | null, number>();

  add(company: number | null, written: unknown): void {
    this.#bytes.set(company, (this.#bytes.get(company) ?? 0) + storedSize(written));
  }

  /** Returns the bytes of each owner; those of no company are the user's. */
  of({ userId }: Actor): readonly (readonly [UsageOwner, number])[] {
    return Array.from(this.#bytes, ([company, bytes]) => [
      company === null ? `user ${userId as number}` : `company ${company}`,
      bytes,
    ]);
  }
}

/**
 * What users may change in a day: the bytes of rows, audit entries and stored responses that their changes write, for each
 * company, or for the user where a change belongs to no company. They are counted by one statement at the end of the
 * transaction, so that changes of a company wait for each other no longer than a commit takes. Changes by administrators
 * and by the service itself have no limit and are not counted.
 */
export class ChangeQuota {
  readonly #max: number;

  /** @param maxChangesPerDay in bytes; Infinity = any number, and nothing is counted */
  constructor(maxChangesPerDay: number) {
    this.#max = maxChangesPerDay;
  }

  /** Whether the changes of an actor count. */
  limits(actor: Actor): boolean {
    return this.#max !== Infinity && actor.userId !== null && !isAdmin(actor);
  }

  /**
   * Counts what a transaction of an actor with a limit has written.
   * @param isRefusable whether it is refused beyond the limit; otherwise it counts all the same.
   * @throws TooManyRequests naming the limit and when the day ends.
   */
  async count(tables: Tables, actor: Actor, written: WrittenBytes, isRefusable = true): Promise<void> {
    const today = dayOf(await tables.now());
    for (const [owner, bytes] of written.of(actor)) {
      await yieldToEventLoop();
      if (await this.#add(tables, { owner, day: today, changes: bytes }, isRefusable)) continue;
      const limits = { ...noDailyLimits, maxChangesPerDay: this.#max };
      const message = `The change is refused: ${describeExhausted('changes', owner, limits, today)}.`;
      throw new TooManyRequests(message, resetOf(today) - (await tables.now()));
    }
  }

  /** @returns false when the limit has no room for it. */
  async #add(
    tables: Tables,
    usage: { readonly owner: UsageOwner; readonly day: number; readonly changes: number },
    isRefusable: boolean,
  ): Promise<boolean> {
    const { owner, day, changes } = usage;
    const max = isRefusable ? this.#max - changes : Number.MAX_SAFE_INTEGER - changes;
    if (max < 0) return false;
    const table = tables.of(DailyUsage);
    const room = [['owner', '=', owner] as const, ['day', '=', day] as const, ['changes', '<=', max] as const];
    const increment = () => table.updateWhere(room, {}, { changes });
    if ((await increment()) > 0) return true;
    const [id] = await table.insertAbsent([newRow(DailyUsage, usage)], usageKey);
    // A row that another transaction has inserted since may have room.
    return id !== null || (await increment()) > 0;
  }
}
