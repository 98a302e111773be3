import type { Instant } from '../loop/clock.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import {
  type DailyLimits,
  DailyUsage,
  type DailyUsageRow,
  dayOf,
  limitOf,
  type Stored,
  type StoredBytes,
  sumUsage,
  type UsageOwner,
} from './daily-usage.ts';

/** The writer of all reports of external jobs. */
const reports = 'reports of external jobs';

/** What a report may store for its company, under a lock that other reports for the company wait for. */
export interface ReportedUsage {
  readonly day: Instant;
  readonly room: Pick<StoredBytes, 'output' | 'artifacts'>;
  readonly row: DailyUsageRow;
}

/** Reads what a company may still store today by a report, and keeps other reports from using it up until the commit. */
export async function lockReportedUsage(
  tables: Tables,
  owner: UsageOwner,
  limits: DailyLimits,
): Promise<ReportedUsage> {
  const today = dayOf(await tables.now());
  const table = tables.of(DailyUsage);
  const empty = newRow(DailyUsage, { owner, day: today, writer: reports });
  await table.insertAbsent([empty], ['owner', 'day', 'writer']);
  const ofToday = [
    ['owner', '=', owner],
    ['day', '=', today],
  ] as const;
  const [own] = await table.find({ where: [...ofToday, ['writer', '=', reports]], lock: 'wait' });
  const used = sumUsage(await table.find({ where: ofToday }));
  const roomOf = (stored: Stored) => Math.max(0, limitOf(limits, stored) - used[stored]);
  const room = { output: roomOf('output'), artifacts: roomOf('artifacts') };
  return { day: today, room, row: required(own, `usage of ${owner}`) };
}

/** Counts what a report stores. */
export async function countReported(
  tables: Tables,
  { row }: ReportedUsage,
  { output, artifacts }: Pick<StoredBytes, 'output' | 'artifacts'>,
): Promise<void> {
  const set = { output: row.output + output, artifacts: row.artifacts + artifacts };
  await tables.of(DailyUsage).update([{ row, set }]);
}
