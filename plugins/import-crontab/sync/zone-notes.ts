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
      const files = [...new Set(ofZone.map(({ crontab }) => crontab.file))];
      const more = files.length > maxNamed ? ` and ${files.length - maxNamed} more` : '';
      const isMachines = ofZone.every(({ crontab }) => crontab.machineTimezone === zone);
      return (
        `Lines without a time zone run by ${zone}${isMachines ? ', the zone of their machine' : ''}, and not by ${serviceTimezone}, that ` +
        `of the service (--timezone names another): ${files.slice(0, maxNamed).join(', ')}${more}.`
      );
    });
}
