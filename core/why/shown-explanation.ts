import { formatInstant } from '../time/instant.ts';
import type { Explanation } from './explanation.ts';

/** Returns an explanation as channels show it: with its times as texts. */
export function shownExplanation({
  time,
  since_success,
  ...explanation
}: Explanation): Readonly<Record<string, unknown>> {
  return {
    ...explanation,
    time: formatInstant(time),
    since_success: since_success && {
      ...since_success,
      since: formatInstant(since_success.since),
      archived_before: since_success.archived_before === null ? null : formatInstant(since_success.archived_before),
      changes: since_success.changes.map(({ at, undone_by, ...change }) => ({
        ...change,
        at: formatInstant(at),
        undone_by: undone_by && { ...undone_by, at: formatInstant(undone_by.at) },
      })),
    },
  };
}
