import { CronDate, CronPattern } from 'croner';
import { HorariumError } from '../errors.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { cronProblem } from './cron-problem.ts';
import { second } from './duration.ts';
import type { WallTime } from './zone.ts';

/** Every year matches: patterns have no year. One list for all, since each parsed pattern brings one of 80 kB. */
const everyYear: number[] = Array(10_000).fill(1);
const options = { mode: '5-or-6-parts' } as const;

/** A stretch of local time in which no time matches but the last one; null = none matches from its start on. */
interface Gap {
  readonly from: WallTime;
  readonly match: WallTime | null;
}

/** How many gaps a pattern remembers: a window needs the next match and the one after it. */
const maxGaps = 4;

/** A cron pattern, matched against local time without regard to clock changes. */
export class Cron {
  /**
   * Whether the pattern means times of the day. One whose minute or hour begins with `*` means a frequency instead and
   * follows the clock, as in Vixie cron.
   */
  readonly namesTimes: boolean;
  readonly #pattern: CronPattern;
  /** The latest gaps that were searched: templates with one pattern ask for the same match, one after another. */
  readonly #gaps: Gap[] = [];

  /** @throws HorariumError `invalid` for text that is not a pattern of 5 or 6 fields, nor a nickname such as `@daily`. */
  constructor(text: string) {
    try {
      this.#pattern = new CronPattern(text, undefined, options);
    } catch {
      throw new HorariumError('invalid', `"${text}" is not a cron pattern: ${cronProblem(text, isPattern)}`);
    }
    this.#pattern.year = everyYear;
    this.namesTimes = !isFrequency(text);
  }

  /** Returns the first match at or after a time; null when none is left (croner looks as far as the year 3000). */
  matchAtOrAfter(wall: WallTime): WallTime | null {
    const known = this.#gaps.find(({ from, match }) => from <= wall && (match === null || wall <= match));
    if (known) return known.match;
    const match = this.#search(wall);
    this.#gaps.unshift({ from: wall, match });
    this.#gaps.splice(maxGaps);
    return match;
  }

  #search(wall: WallTime): WallTime | null {
    const from = new CronDate(new Date(Math.ceil(wall / second) * second - second), 0);
    return from.increment(this.#pattern, {}, false)?.getTime() ?? null;
  }

  /** Returns the last match at or before a time; null when there was none. */
  matchAtOrBefore(wall: WallTime): WallTime | null {
    const from = new CronDate(new Date(Math.floor(wall / second) * second + second), 0);
    return from.decrement(this.#pattern, {}, false)?.getTime() ?? null;
  }
}

function isPattern(text: string): boolean {
  try {
    new CronPattern(text, undefined, options);
    return true;
  } catch {
    return false;
  }
}

function isFrequency(text: string): boolean {
  const fields = text.trim().toLowerCase().split(/\s+/);
  // The other nicknames (@daily, @weekly, …) name midnight.
  if (fields[0] === '@hourly') return true;
  return fields.slice(-5, -3).some((field) => /^[*?]/.test(field));
}

const crons = new LruCache<Cron>(2000);
const parse = (text: string) => new Cron(text);

/** Parses a pattern, or returns the cached one. @throws HorariumError `invalid` for text that is none. */
export function cronOf(text: string): Cron {
  return crons.getOrMake(text, parse);
}
