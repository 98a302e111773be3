import { type Instant, type RunTemplateRow, windows } from '@horarium/core';

/** A template as people configured it, and whether its App and company were enabled. */
export type Configuration = RunTemplateRow & { readonly enabled: boolean };

interface Period {
  readonly configuration: Configuration;
  readonly from: Instant;
  /** The last moment at which a window of it could begin; null = it lasts. */
  to: Instant | null;
  /** The latest time that the store's clock had shown before it was set back. */
  shownUntil: Instant;
}

const cadenceFields = ['interval', 'cron', 'timezone'] as const;
const scheduleFields = [...cadenceFields, 'starts_at', 'ends_at'] as const;

/** A change that waives what a template owes: all of it when deactivated, else the Tasks without an attempt. */
export interface Waiver {
  readonly at: Instant;
  /** False = it got a new cadence. */
  readonly deactivated: boolean;
}

/** When a template was active and with which cadence: the windows it owes follow from this alone. */
export class TemplateHistory {
  readonly waivers: Waiver[] = [];
  readonly #periods: Period[] = [];

  /** Records a change at that time of the store; `shown` is the latest time that the store's clock ever showed. */
  record(before: Configuration | null, after: Configuration, now: Instant, shown: Instant): void {
    const wasActive = before?.active === true && before.enabled;
    const isActive = after.active && after.enabled;
    const same = wasActive && isActive && scheduleFields.every((field) => before[field] === after[field]);
    if (same) return;
    const cadenceChanged = wasActive && isActive && cadenceFields.some((field) => before[field] !== after[field]);
    if (cadenceChanged || (wasActive && !isActive)) this.waivers.push({ at: now, deactivated: !isActive });
    const last = this.#periods.at(-1);
    if (wasActive && last) {
      last.to = now;
      last.shownUntil = shown;
    }
    if (isActive)
      this.#periods.push({ configuration: after, from: wasActive ? now + 1 : now, to: null, shownUntil: 0 });
  }

  /** The starts of the windows that began until that moment. */
  owedStarts(until: Instant): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => starts(period, period.to ?? until)));
  }

  /** The starts of windows that began only by a clock that was set back afterwards: they may have Tasks or not. */
  ambiguousStarts(): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => (period.to === null ? [] : starts(period, period.shownUntil))));
  }
}

function starts({ configuration, from }: Period, to: Instant): Instant[] {
  const { starts_at, ends_at } = configuration;
  const until = Math.min(to + 1, ends_at ?? Infinity);
  return [...windows(configuration, Math.max(from, starts_at ?? from), until)].map((window) => window.start);
}
