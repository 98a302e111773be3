import { type Instant, type RunTemplateRow, windows } from '@horarium/core';

/** A template as people left it, and whether its app and company were enabled. */
export type Configuration = RunTemplateRow & { readonly enabled: boolean };

interface Period {
  readonly configuration: Configuration;
  readonly from: Instant;
  /** The last moment at which a window of it could begin; null = it goes on. */
  to: Instant | null;
  /** The store's clock had already shown this time before it was set back. */
  shownUntil: Instant;
}

const fieldsOfCadence = ['interval', 'cron', 'timezone'] as const;
const fieldsOfSchedule = [...fieldsOfCadence, 'starts_at', 'ends_at'] as const;

/** A moment after which less is owed: everything when it was switched off, what was not begun when it was recut. */
export interface Cut {
  readonly at: Instant;
  readonly off: boolean;
}

/** When a template was active and with which windows: what it owes follows from this alone. */
export class TemplateHistory {
  readonly cuts: Cut[] = [];
  readonly #periods: Period[] = [];

  /** People changed it at that time of the store; `shown` is the latest time that the store's clock ever showed. */
  changed(before: Configuration | null, after: Configuration, now: Instant, shown: Instant): void {
    const was = before?.active === true && before.enabled;
    const is = after.active && after.enabled;
    const same = was && is && fieldsOfSchedule.every((field) => before[field] === after[field]);
    if (same) return;
    const recut = was && is && fieldsOfCadence.some((field) => before[field] !== after[field]);
    if (recut || (was && !is)) this.cuts.push({ at: now, off: !is });
    const last = this.#periods.at(-1);
    if (was && last) {
      last.to = now;
      last.shownUntil = shown;
    }
    if (is) this.#periods.push({ configuration: after, from: was ? now + 1 : now, to: null, shownUntil: 0 });
  }

  /** The starts of the windows that began up to then. */
  owed(until: Instant): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => starts(period, period.to ?? until)));
  }

  /** Windows that began only by a clock which was set back afterwards: they may have their Tasks, or not. */
  doubtful(): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => (period.to === null ? [] : starts(period, period.shownUntil))));
  }
}

function starts({ configuration, from }: Period, to: Instant): Instant[] {
  const { starts_at, ends_at } = configuration;
  const until = Math.min(to + 1, ends_at ?? Infinity);
  return [...windows(configuration, Math.max(from, starts_at ?? from), until)].map((window) => window.start);
}
