import { canonicalZone } from '@horarium/core/plugin';
import type { LineChange } from '../sync/line-change.ts';

/** What lines are imported into. */
interface ImportTarget {
  readonly company: { readonly name: string; readonly run_as: string | null; readonly created: boolean };
  readonly serviceTimezone: string;
  /** The user of all native jobs; null = none is known. */
  readonly usualUser: string | null;
}

/**
 * Says what a person who imports crontabs cannot see in them, a sentence each: that the company is new, as whom the jobs run, and by
 * which time zones.
 */
export function importNotes(changes: readonly LineChange[], target: ImportTarget): string[] {
  const { company } = target;
  const notes = [userNote(changes, target), zonesNote(changes, target)].flatMap((note) => note ?? []);
  return company.created ? [`The company ${company.name} is new.`, ...notes] : notes;
}

function userNote(changes: readonly LineChange[], { company, usualUser }: ImportTarget): string | null {
  const lines = changes.flatMap(({ line }) => line ?? []);
  const unnamed = lines.filter(({ user }) => user === null);
  const user = company.run_as ?? usualUser;
  if (unnamed.length === 0 || user === null) return null;
  const jobs = unnamed.length === lines.length ? 'The jobs' : 'Jobs of lines that name no user';
  return `${jobs} run as the user ${user}${company.run_as === null ? ', as all native jobs do' : ', as all jobs of the company do'}.`;
}

function zonesNote(changes: readonly LineChange[], { serviceTimezone }: ImportTarget): string | null {
  const timed = changes.flatMap(({ line }) => (line && line.template.cron !== null ? [line] : []));
  const zones = [...Map.groupBy(timed, ({ template }) => template.timezone)].map(([zone, lines]) => {
    if (lines.every(({ entry }) => entry.timezone !== null)) return `${zone}, which CRON_TZ names`;
    return canonicalZone(zone) === canonicalZone(serviceTimezone) ? `${zone}, that of the service` : zone;
  });
  return zones.length === 0 ? null : `The time zone of the schedules is ${zones.join('; and ')}.`;
}
