import type { CrontabLine, TemplateFields } from '../lines/crontab-records.ts';
import type { ReadCrontab } from '../lines/read-crontabs.ts';
import type { CrontabSourceRow } from './crontab-source.ts';

/** A line with the time zone that it runs by. */
export interface ZonedLine extends CrontabLine {
  readonly template: TemplateFields & { readonly timezone: string };
}

/** A crontab with the time zone of its lines. */
export interface ZonedCrontab extends ReadCrontab {
  /** That of lines without `CRON_TZ`. */
  readonly timezone: string;
  readonly lines: readonly ZonedLine[];
}

/** The time zones of lines that have no `CRON_TZ`. */
export interface SyncZones {
  /** The one that the sync names for all its crontabs; null = none. */
  readonly timezone: string | null;
  /** That of the service, for crontabs that are synced for the first time and that no machine runs. */
  readonly serviceTimezone: string;
}

/**
 * Gives all lines of a crontab without `CRON_TZ` one time zone: that of the sync before, unless this one names another, or takes
 * the crontab over from the machine.
 * @param sources those of its former lines, the ones that are still in the file first.
 */
export function zonedCrontab(
  crontab: ReadCrontab,
  sources: readonly (CrontabSourceRow | undefined)[],
  { timezone: named, serviceTimezone }: SyncZones,
): ZonedCrontab {
  const before = sources.find((source) => source?.crontab_timezone != null)?.crontab_timezone;
  const { machineTimezone, isTakenOver = false } = crontab;
  const timezone = named ?? (isTakenOver ? machineTimezone : before) ?? machineTimezone ?? serviceTimezone;
  const lines = crontab.lines.map((line) => ({ ...line, template: { timezone, ...line.template } }));
  return { ...crontab, timezone, lines };
}
