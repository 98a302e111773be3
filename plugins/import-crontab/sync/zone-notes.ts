import { canonicalZone } from '@horarium/core/plugin';
import type { LineChange } from './line-change.ts';
import type { SyncZones } from './zoned-crontab.ts';

/** How many crontabs a note names. */
const maxNamed = 3;

/**
 * Says so where lines run by another time zone than that of the service, unless the user has just named it: one sentence for each
 * such zone.
 * @param changes those of lines that are not as they were.
 */
export function zoneNotes(changes: readonly LineChange[], { timezone: named, serviceTimezone }: SyncZones): string[] {
  if (named !== null) return [];
  const timed = changes.filter(({ line }) => line?.entry.timezone === null && line.template.cron !== null);
  const byZone = Map.groupBy(timed, ({ crontab }) => crontab.timezone);
  return [...byZone]
    .filter(([zone]) => canonicalZone(zone) !== canonicalZone(serviceTimezone))
    .map(([zone, ofZone]) => {
      const isMachines = ofZone.every(({ crontab }) => crontab.machineTimezone === zone);
      return (
        `Lines without a time zone run by ${zone}${isMachines ? ', the zone of their machine' : ''}, and not by ${serviceTimezone}, that ` +
        `of the service (--timezone names another): ${filesOf(ofZone)}.`
      );
    });
}

/**
 * Says so where lines of crontabs that cron reads run by `CRON_TZ`, which some crons do not know.
 * @param changes those of lines that are not as they were.
 */
export function cronZoneNotes(changes: readonly LineChange[]): string[] {
  const zoned = changes.filter(
    ({ crontab, line }) => crontab.isOfCron && line?.template.cron && line.entry.timezone !== null,
  );
  if (zoned.length === 0) return [];
  return [`CRON_TZ counts here; the cron of Debian has run these lines by the time of the machine: ${filesOf(zoned)}.`];
}

/** Names the crontabs of lines. */
function filesOf(changes: readonly LineChange[]): string {
  const files = [...new Set(changes.map(({ crontab }) => crontab.file))];
  const more = files.length > maxNamed ? ` and ${files.length - maxNamed} more` : '';
  return `${files.slice(0, maxNamed).join(', ')}${more}`;
}
