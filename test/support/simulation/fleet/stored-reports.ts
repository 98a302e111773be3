import type { Instant } from '@horarium/core';
import type { ReportedEvent } from '@horarium/core/plugin';
import type { PublishedReport, Stored } from './messages.ts';

/**
 * Returns reports as the ledger takes them.
 * @param toServiceTime translates a time of the broker.
 */
export function asAgentReports(
  reports: readonly Stored<PublishedReport>[],
  toServiceTime: (at: Instant) => Instant,
): ReportedEvent[] {
  return reports.map(({ at, body: { age, ...report } }) => ({ ...report, at: toServiceTime(at) - age }));
}
