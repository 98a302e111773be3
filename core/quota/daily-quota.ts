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

interface Usage {
  /** What all hosts have stored today, when this one last looked; null = not known. */
  stored: Bytes | null;
  /** What is to be added. */
  uncounted: Bytes;
}

const none: Bytes = { output: 0, artifacts: 0 };
const sum = (a: Bytes, b: Bytes): Bytes => ({ output: a.output + b.output, artifacts: a.artifacts + b.artifacts });
const difference = (a: Bytes, b: Bytes): Bytes => ({
  output: a.output - b.output,
  artifacts: a.artifacts - b.artifacts,
});
const isNone = ({ output, artifacts }: Bytes) => output + artifacts === 0;

/**
 * What the companies whose jobs this host runs may still store today. The transaction that stores output and files also
 * counts them, and reads what all hosts have counted; it never waits for another one: where that has locked the count, a
 * later transaction adds to it. So a limit is exceeded by what hosts store at the same time, not more.
 */
export class DailyQuota {
  readonly #limits: DailyLimits;
  readonly #usage = new Map<UsageOwner, Usage>();
  #day: Instant = 0;

  constructor(limits: DailyLimits) {
    this.#limits = limits;
  }

  /** Counts bytes of an owner. @returns how many of them may be stored. */
  take(stored: StoredByJobs, owner: UsageOwner, bytes: number): number {
    const usage = this.#of(owner);
    const used = usage.uncounted[stored] + (usage.stored?.[stored] ?? 0);
    const taken = Math.min(bytes, Math.max(0, limitOf(this.#limits, stored) - used));
    usage.uncounted = { ...usage.uncounted, [stored]: usage.uncounted[stored] + taken };
    return taken;
  }

  /** Counts bytes of an owner if all of them may be stored. @returns whether they may. */
  takeWhole(stored: StoredByJobs, owner: UsageOwner, bytes: number): boolean {
    const before = this.#of(owner).uncounted;
    const fits = this.take(stored, owner, bytes) === bytes;
    if (!fits) this.#of(owner).uncounted = before;
    return fits;
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
    return (this.#usage.get(owner)?.stored ?? null) !== null;
  }

  /** Whether something is to be counted. */
  get hasUncounted(): boolean {
    return this.#uncounted().length > 0;
  }

  /**
   * Counts what was taken, and reads what all hosts have stored, for these owners and those with something to count. A
   * transaction that is run again counts nothing twice; one whose commit is uncertain may.
   */
  async sync(tables: Tables, owners: readonly UsageOwner[]): Promise<void> {
    if (this.#limits.maxOutputPerDay === Infinity && this.#limits.maxArtifactsPerDay === Infinity) return;
    const today = dayOf(await tables.now());
    const uncounted = new Map(this.#uncounted());
    const ids = [...new Set([...owners, ...uncounted.keys()])];
    if (ids.length === 0) return;
    const table = tables.of(DailyUsage);
    const where = [['owner', 'in', ids] as const, ['day', '=', today] as const];
    const rows = await table.find({ where, ...(uncounted.size > 0 && { lock: 'skip' }) });
    const found = new Map(rows.map((row) => [row.owner as UsageOwner, row]));
    const counted = [...uncounted].filter(([owner]) => found.has(owner));
    const changes = rows.flatMap((row) => {
      const bytes = uncounted.get(row.owner as UsageOwner);
      return bytes ? [{ row, set: sum(row, bytes) }] : [];
    });
    if (changes.length > 0) await table.update(changes);
    // The rows that other transactions have locked are not found, and not absent either.
    const absent = [...uncounted].filter(([owner]) => !found.has(owner));
    const newRows = absent.map(([owner, bytes]) => newRow(DailyUsage, { owner, day: today, ...bytes }));
    const inserted = newRows.length > 0 ? await table.insertAbsent(newRows, usageKey) : [];
    counted.push(...absent.filter((_, index) => typeof inserted[index] === 'number'));
    tables.afterCommit(() => {
      this.#beginDay(today);
      for (const owner of ids) {
        const usage = this.#of(owner);
        usage.stored = found.get(owner) ?? usage.stored ?? none;
      }
      for (const [owner, bytes] of counted) {
        const usage = this.#of(owner);
        usage.stored = sum(usage.stored ?? none, bytes);
        usage.uncounted = difference(usage.uncounted, bytes);
      }
    });
  }

  #uncounted(): [UsageOwner, Bytes][] {
    return [...this.#usage].flatMap(([owner, { uncounted }]) => (isNone(uncounted) ? [] : [[owner, uncounted]]));
  }

  /** Forgets what was stored on another day. What is not counted yet counts for the day on which it is. */
  #beginDay(today: Instant): void {
    if (today === this.#day) return;
    this.#day = today;
    for (const [owner, usage] of this.#usage)
      if (isNone(usage.uncounted)) this.#usage.delete(owner);
      else usage.stored = null;
  }

  #of(owner: UsageOwner): Usage {
    const usage = this.#usage.get(owner) ?? { stored: null, uncounted: none };
    this.#usage.set(owner, usage);
    return usage;
  }
}
