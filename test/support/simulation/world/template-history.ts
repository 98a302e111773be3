import type { Instant, RunTemplateRow } from '@horarium/core';
import { Temporal } from 'temporal-polyfill';
import { windows } from '#core/time/windows';

/** A template, whether its App and company are enabled, and its days off. */
export type Configuration = RunTemplateRow & {
  readonly enabled: boolean;
  /** The local dates that are off by its calendar, as one text. */
  readonly daysOff: string;
};

interface Period {
  readonly configuration: Configuration;
  readonly from: Instant;
  /** The last instant at which its windows could begin; null = it is current. */
  to: Instant | null;
  /** The latest time of the store's clock until then, which may be later than `to` if the clock was set back. */
  clockMax: Instant;
}

const cadenceFields = ['interval', 'cron', 'timezone'] as const;
const scheduleFields = [...cadenceFields, 'starts_at', 'ends_at', 'daysOff'] as const;

/** A change that waives Tasks of a template: all that are not ended when deactivated, else those without an attempt. */
export interface Waiver {
  /** What the clock showed when it was made. */
  readonly at: Instant;
  /** The id of the last audit entry before it: the clock may show a time twice. */
  readonly lastEntry: number;
  /** True = the template was deactivated; false = it got a new cadence. */
  readonly deactivated: boolean;
}

/** When a change was made. */
export interface ChangeTimes {
  /** The time of the store. */
  readonly now: Instant;
  /** The latest time that the store's clock ever had. */
  readonly clockMax: Instant;
  /** The id of the last audit entry before the change. */
  readonly lastEntry: number;
}

/** The periods in which a template was active, each with its cadence: they alone determine which windows need a Task. */
export class TemplateHistory {
  readonly waivers: Waiver[] = [];
  readonly #periods: Period[] = [];
  #isActive = false;

  /** Records a change from one configuration to another; null = there was no template. */
  record(before: Configuration | null, after: Configuration, { now, clockMax, lastEntry }: ChangeTimes): void {
    const wasActive = before?.active === true && before.enabled;
    const isActive = after.active && after.enabled;
    this.#isActive = isActive;
    const isUnchanged = wasActive && isActive && scheduleFields.every((field) => before[field] === after[field]);
    if (isUnchanged) return;
    const cadenceChanged = wasActive && isActive && cadenceFields.some((field) => before[field] !== after[field]);
    if (cadenceChanged || (wasActive && !isActive)) this.waivers.push({ at: now, lastEntry, deactivated: !isActive });
    const last = this.#periods.at(-1);
    if (wasActive && last) {
      last.to = now;
      last.clockMax = clockMax;
    }
    if (isActive) this.#periods.push({ configuration: after, from: wasActive ? now + 1 : now, to: null, clockMax: 0 });
  }

  /** Records that the store's clock was set back: windows after that time come again, by the present configuration. */
  clockSetBack(to: Instant, clockMax: Instant): void {
    for (const period of this.#periods) {
      period.clockMax = Math.max(period.clockMax, period.to ?? clockMax);
      period.to = Math.min(period.to ?? to, to);
    }
    const last = this.#periods.at(-1);
    if (last && this.#isActive)
      this.#periods.push({ configuration: last.configuration, from: to + 1, to: null, clockMax: 0 });
  }

  /** Returns the starts of the windows that need a Task, up to a time. */
  owedStarts(until: Instant): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => startsOf(period, period.to ?? until)));
  }

  /** Returns the starts of windows that began only by a clock that was set back later: they may or may not have Tasks. */
  ambiguousStarts(): Set<Instant> {
    return new Set(this.#periods.flatMap((period) => (period.to === null ? [] : startsOf(period, period.clockMax))));
  }
}

function startsOf({ configuration, from }: Period, to: Instant): Instant[] {
  const { starts_at, ends_at, timezone, daysOff } = configuration;
  const until = Math.min(to + 1, ends_at ?? Infinity);
  const starts = [...windows(configuration, Math.max(from, starts_at ?? from), until)].map((window) => window.start);
  return daysOff === '' ? starts : starts.filter((start) => !daysOff.includes(localDate(start, timezone)));
}

function localDate(at: Instant, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate().toString();
}
