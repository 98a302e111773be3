import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import {
  type DailyLimits,
  DailyUsage,
  dailyOutputCut,
  dayOf,
  describeExhausted,
  limitOf,
  type Stored,
  type UsageOwner,
  usageKey,
} from './daily-usage.ts';

/** What jobs store. */
type StoredByJobs = Exclude<Stored, 'changes'>;
type Bytes = Readonly<Record<StoredByJobs, number>>;

const none: Bytes = { output: 0, artifacts: 0 };
const sum = (a: Bytes, b: Bytes, sign = 1): Bytes => ({
  output: a.output + sign * b.output,
  artifacts: a.artifacts + sign * b.artifacts,
});

/**
 * What the companies whose jobs this host runs may still store today. The transaction that stores output and files also
 * counts them, and reads what all hosts have counted; it never waits for another one: where that has locked the count, a
 * later transaction adds to it. So a limit is exceeded by what hosts store at the same time, not more.
 */
export class DailyQuota {
  readonly #limits: DailyLimits;
  /** What all hosts have stored today, when this one last looked. */
  readonly #stored = new Map<UsageOwner, Bytes>();
  /** What is to be added. */
  readonly #uncounted = new Map<UsageOwner, Bytes>();
  #day: Instant = 0;

  constructor(limits: DailyLimits) {
    this.#limits = limits;
  }

  /** Counts bytes of an owner. @returns how many of them may be stored. */
  take(stored: StoredByJobs, owner: UsageOwner, bytes: number): number {
    const taken = Math.min(bytes, this.#room(stored, owner));
    const uncounted = this.#uncounted.get(owner) ?? none;
    if (taken > 0) this.#uncounted.set(owner, { ...uncounted, [stored]: uncounted[stored] + taken });
    return taken;
  }

  /** Counts bytes of an owner if all of them may be stored. @returns whether they may. */
  takeWhole(stored: StoredByJobs, owner: UsageOwner, bytes: number): boolean {
    return bytes <= this.#room(stored, owner) && this.take(stored, owner, bytes) === bytes;
  }

  /** The line that replaces output. */
  outputCut(owner: UsageOwner): string {
    return dailyOutputCut(owner, this.#limits, this.#day);
  }

  /** Says why something was not stored, as the end of a sentence. */
  refusal(stored: StoredByJobs, owner: UsageOwner): string {
    return describeExhausted(stored, owner, this.#limits, this.#day);
  }

  /** Whether it has read what is stored for an owner today. */
  knows(owner: UsageOwner): boolean {
    return this.#stored.has(owner);
  }

  /** Whether something is to be counted. */
  get hasUncounted(): boolean {
    return this.#uncounted.size > 0;
  }

  /**
   * Counts what was taken, and reads what all hosts have stored, for these owners and those with something to count. A
   * transaction that is run again counts nothing twice; one whose commit is uncertain may.
   */
  async sync(tables: Tables, owners: readonly UsageOwner[]): Promise<void> {
    if (this.#limits.maxOutputPerDay === Infinity && this.#limits.maxArtifactsPerDay === Infinity) return;
    const today = dayOf(await tables.now());
    const uncounted = new Map(this.#uncounted);
    const ids = [...new Set([...owners, ...uncounted.keys()])];
    if (ids.length === 0) return;
    const table = tables.of(DailyUsage);
    const where = [['owner', 'in', ids] as const, ['day', '=', today] as const];
    const rows = await table.find({ where, ...(uncounted.size > 0 && { lock: 'skip' }) });
    const found = new Map(rows.map((row) => [row.owner as UsageOwner, row]));
    const changes = [...found].flatMap(([owner, row]) => {
      const bytes = uncounted.get(owner);
      return bytes ? [{ row, set: sum(row, bytes) }] : [];
    });
    if (changes.length > 0) await table.update(changes);
    // The rows that other transactions have locked are not found, and not absent either.
    const absent = [...uncounted].filter(([owner]) => !found.has(owner));
    const newRows = absent.map(([owner, bytes]) => newRow(DailyUsage, { owner, day: today, ...bytes }));
    const inserted = newRows.length > 0 ? await table.insertAbsent(newRows, usageKey) : [];
    const locked = new Set(absent.flatMap(([owner], index) => (inserted[index] === null ? [owner] : [])));
    tables.afterCommit(() => {
      if (today !== this.#day) this.#stored.clear();
      this.#day = today;
      for (const owner of ids) {
        const stored = found.get(owner) ?? this.#stored.get(owner) ?? none;
        const counted = locked.has(owner) ? none : (uncounted.get(owner) ?? none);
        this.#stored.set(owner, sum(stored, counted));
        const left = sum(this.#uncounted.get(owner) ?? none, counted, -1);
        if (left.output + left.artifacts > 0) this.#uncounted.set(owner, left);
        else this.#uncounted.delete(owner);
      }
    });
  }

  #room(stored: StoredByJobs, owner: UsageOwner): number {
    const [known, uncounted] = [this.#stored.get(owner) ?? none, this.#uncounted.get(owner) ?? none];
    return Math.max(0, limitOf(this.#limits, stored) - known[stored] - uncounted[stored]);
  }
}
