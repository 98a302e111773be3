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
  noBytes,
  type Stored,
  type StoredBytes,
  sumUsage,
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
 * What the companies whose jobs run in one process may still store today. It counts in memory; the transaction that writes
 * the output writes the counts too, and reads those of other processes. So a limit that is reached on several hosts at
 * once is exceeded by what they write between two such transactions, not more.
 */
export class DailyQuota {
  readonly #writer: string;
  readonly #limits: DailyLimits;
  readonly #usage = new Map<number, Usage>();
  #day: Instant = 0;

  /** @param writer names this process among all that ever ran. */
  constructor(writer: string, limits: DailyLimits) {
    this.#writer = writer;
    this.#limits = limits;
  }

  /** Counts bytes of a company. @returns how many of them may be stored. */
  take(stored: Stored, company: number, bytes: number): number {
    const taken = Math.min(bytes, this.#room(stored, company));
    this.#count(stored, company, taken);
    return taken;
  }

  /** Counts bytes of a company if all of them may be stored. @returns whether they may. */
  takeWhole(stored: Stored, company: number, bytes: number): boolean {
    const fits = bytes <= this.#room(stored, company);
    if (fits) this.#count(stored, company, bytes);
    return fits;
  }

  /** The line that replaces output. */
  outputCut(company: number): string {
    return dailyOutputCut(company, this.#limits, this.#day);
  }

  /** Says why something was not stored, as the end of a sentence. */
  refusal(stored: Stored, company: number): string {
    return describeExhausted(stored, company, this.#limits, this.#day);
  }

  /**
   * Writes what was counted, and reads what other processes have stored, for these companies and those whose counts are not
   * written yet. A transaction that is run again, or whose commit is uncertain, counts nothing twice.
   */
  async sync(tables: Tables, companies: Iterable<number>): Promise<void> {
    const { maxOutputPerDay, maxArtifactsPerDay } = this.#limits;
    if (maxOutputPerDay === Infinity && maxArtifactsPerDay === Infinity) return;
    this.#turn(dayOf(await tables.now()));
    const unsaved = [...this.#usage].filter(([, { own, saved }]) => own !== saved);
    const ids = [...new Set([...companies, ...unsaved.map(([company]) => company)])];
    if (ids.length === 0) return;
    const rows = await tables.of(DailyUsage).find({
      where: [
        ['company_id', 'in', ids],
        ['day', '=', this.#day],
      ],
    });
    const isOwn = ({ writer }: { readonly writer: string }) => writer === this.#writer;
    for (const [company, others] of Map.groupBy(rows, (row) => row.company_id))
      this.#of(company).others = sumUsage(others.filter((row) => !isOwn(row)));
    const ownRows = new Map(rows.filter(isOwn).map((row) => [row.company_id, row]));
    for (const company of ids) this.#load(company, ownRows.get(company));
    const written = unsaved.map(([company, usage]) => ({ company, usage, own: usage.own }));
    const changes = written.flatMap(({ company, own }) => {
      const row = ownRows.get(company);
      return row ? [{ row, set: own }] : [];
    });
    const absent = written
      .filter(({ company }) => !ownRows.has(company))
      .map(({ company, own }) =>
        newRow(DailyUsage, { ...own, company_id: company, day: this.#day, writer: this.#writer }),
      );
    if (changes.length > 0) await tables.of(DailyUsage).update(changes);
    if (absent.length > 0) await tables.of(DailyUsage).insert(absent);
    tables.afterCommit(() => {
      for (const { usage, own } of written) usage.saved = own;
    });
  }

  /** Adds what this process has stored of the day already, once. */
  #load(company: number, row: StoredBytes | undefined): void {
    const usage = this.#of(company);
    if (row && !usage.isLoaded) usage.own = sumUsage([usage.own, row]);
    usage.isLoaded = true;
  }

  /** Begins a day: what was counted before and is not written yet counts for it. */
  #turn(today: Instant): void {
    if (today === this.#day) return;
    this.#day = today;
    for (const [company, { own, saved }] of this.#usage) {
      const left = { output: own.output - saved.output, artifacts: own.artifacts - saved.artifacts };
      if (left.output + left.artifacts === 0) this.#usage.delete(company);
      else this.#usage.set(company, { own: left, saved: noBytes, others: noBytes, isLoaded: false });
    }
  }

  #room(stored: Stored, company: number): number {
    const { own, others } = this.#of(company);
    return Math.max(0, limitOf(this.#limits, stored) - own[stored] - others[stored]);
  }

  #count(stored: Stored, company: number, bytes: number): void {
    const usage = this.#of(company);
    if (bytes > 0) usage.own = { ...usage.own, [stored]: usage.own[stored] + bytes };
  }

  #of(company: number): Usage {
    const known = this.#usage.get(company);
    if (known) return known;
    const usage = { own: noBytes, saved: noBytes, others: noBytes, isLoaded: false };
    this.#usage.set(company, usage);
    return usage;
  }
}
