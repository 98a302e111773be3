import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import {
  type DailyLimits,
  DailyUsage,
  type DailyUsageRow,
  dailyOutputCut,
  dayOf,
  describeExhausted,
  limitOf,
  noBytes,
  type Stored,
  type StoredBytes,
  sumUsage,
  type UsageOwner,
} from './daily-usage.ts';

interface Usage {
  /** What this process has counted. */
  own: StoredBytes;
  /** What of that is in the store. */
  saved: StoredBytes;
  /** What all other writers had stored when this process last looked. */
  others: StoredBytes;
  /** Whether `own` includes what this process had stored when the day began for it, which a clock that is set back repeats. */
  isLoaded: boolean;
}

/**
 * What the companies and users that one process stores for may still store today. It counts in memory; a transaction that
 * writes what is stored, or follows soon, writes the counts too, and reads those of other processes. So a limit that is
 * reached on several hosts at once is exceeded by what they write between two such transactions, not more.
 */
export class DailyQuota {
  readonly #writer: string;
  readonly #limits: DailyLimits;
  readonly #usage = new Map<UsageOwner, Usage>();
  #day: Instant = 0;

  /** @param writer names this process among all that ever ran. */
  constructor(writer: string, limits: DailyLimits) {
    this.#writer = writer;
    this.#limits = limits;
  }

  /** Counts bytes of an owner. @returns how many of them may be stored. */
  take(stored: Stored, owner: UsageOwner, bytes: number): number {
    const taken = Math.min(bytes, this.room(stored, owner));
    this.count(stored, owner, taken);
    return taken;
  }

  /** Counts bytes of an owner if all of them may be stored. @returns whether they may. */
  takeWhole(stored: Stored, owner: UsageOwner, bytes: number): boolean {
    const fits = bytes <= this.room(stored, owner);
    if (fits) this.count(stored, owner, bytes);
    return fits;
  }

  /** The line that replaces output. */
  outputCut(owner: UsageOwner): string {
    return dailyOutputCut(owner, this.#limits, this.#day);
  }

  /** Says why something was not stored, as the end of a sentence. */
  refusal(stored: Stored, owner: UsageOwner): string {
    return describeExhausted(stored, owner, this.#limits, this.#day);
  }

  /**
   * Writes what was counted, and reads what other processes have stored, for these owners and those whose counts are not
   * written yet. A transaction that is run again, or whose commit is uncertain, counts nothing twice.
   */
  async sync(tables: Tables, owners: Iterable<UsageOwner>): Promise<void> {
    if (Object.values(this.#limits).every((limit) => limit === Infinity)) return;
    this.#turn(dayOf(await tables.now()));
    const unsaved = this.#unsaved();
    const ids = [...new Set([...owners, ...unsaved.map(([owner]) => owner)])];
    if (ids.length === 0) return;
    const ownRows = await this.#read(tables, ids);
    const written = unsaved.map(([owner, usage]) => ({ owner, usage, own: usage.own }));
    const changes = written.flatMap(({ owner, own }) => {
      const row = ownRows.get(owner);
      return row ? [{ row, set: own }] : [];
    });
    const absent = written
      .filter(({ owner }) => !ownRows.has(owner))
      .map(({ owner, own }) => newRow(DailyUsage, { ...own, owner, day: this.#day, writer: this.#writer }));
    if (changes.length > 0) await tables.of(DailyUsage).update(changes);
    if (absent.length > 0) await tables.of(DailyUsage).insert(absent);
    tables.afterCommit(() => {
      for (const { usage, own } of written) usage.saved = own;
    });
  }

  /** Reads what was stored for an owner today, unless this process has read it before. */
  async load(tables: Tables, owner: UsageOwner): Promise<void> {
    this.#turn(dayOf(await tables.now()));
    if (!this.#of(owner).isLoaded) await this.#read(tables, [owner]);
  }

  /** Whether this process has read what is stored for an owner on the day that it counts. */
  knows(owner: UsageOwner): boolean {
    return this.#usage.get(owner)?.isLoaded ?? false;
  }

  /** Whether something was counted that is not written. */
  get hasUnsaved(): boolean {
    return this.#unsaved().length > 0;
  }

  #unsaved(): [UsageOwner, Usage][] {
    return [...this.#usage].filter(([, { own, saved }]) => own !== saved);
  }

  /** @returns the rows that this process has written for the owners. */
  async #read(tables: Tables, owners: readonly UsageOwner[]): Promise<Map<UsageOwner, DailyUsageRow>> {
    const rows = await tables.of(DailyUsage).find({
      where: [
        ['owner', 'in', owners],
        ['day', '=', this.#day],
      ],
    });
    const isOwn = ({ writer }: DailyUsageRow) => writer === this.#writer;
    for (const [owner, ofOwner] of Map.groupBy(rows, (row) => row.owner as UsageOwner))
      this.#of(owner).others = sumUsage(ofOwner.filter((row) => !isOwn(row)));
    const ownRows = new Map(rows.filter(isOwn).map((row) => [row.owner as UsageOwner, row]));
    for (const owner of owners) this.#load(owner, ownRows.get(owner));
    return ownRows;
  }

  /** Adds what this process has stored of the day already, once. */
  #load(owner: UsageOwner, row: StoredBytes | undefined): void {
    const usage = this.#of(owner);
    if (row && !usage.isLoaded) usage.own = sumUsage([usage.own, row]);
    usage.isLoaded = true;
  }

  /** Begins a day: output and files that are not written yet count for it; changes were written when they were counted. */
  #turn(today: Instant): void {
    if (today === this.#day) return;
    this.#day = today;
    for (const [owner, { own, saved }] of this.#usage) {
      const left = {
        output: own.output - saved.output,
        artifacts: own.artifacts - saved.artifacts,
        changes: 0,
      };
      if (left.output + left.artifacts === 0) this.#usage.delete(owner);
      else this.#usage.set(owner, { own: left, saved: noBytes, others: noBytes, isLoaded: false });
    }
  }

  /** How many more bytes may be stored for an owner. */
  room(stored: Stored, owner: UsageOwner): number {
    const { own, others } = this.#of(owner);
    return Math.max(0, limitOf(this.#limits, stored) - own[stored] - others[stored]);
  }

  /** Counts bytes that are stored for an owner, also beyond the limit. */
  count(stored: Stored, owner: UsageOwner, bytes: number): void {
    const usage = this.#of(owner);
    if (bytes > 0) usage.own = { ...usage.own, [stored]: usage.own[stored] + bytes };
  }

  #of(owner: UsageOwner): Usage {
    const known = this.#usage.get(owner);
    if (known) return known;
    const usage = { own: noBytes, saved: noBytes, others: noBytes, isLoaded: false };
    this.#usage.set(owner, usage);
    return usage;
  }
}
