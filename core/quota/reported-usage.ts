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
  type StoredBytes,
  sumUsage,
} from './daily-usage.ts';

/** The writer of all reports of external jobs. */
const reports = 'reports of external jobs';

/** What a report may store for its company, under a lock that other reports for the company wait for. */
export interface ReportedUsage {
  readonly day: Instant;
  readonly room: StoredBytes;
  readonly row: DailyUsageRow;
}

/** Reads what a company may still store today by a report, and keeps other reports from using it up until the commit. */
export async function lockReportedUsage(tables: Tables, company: number, limits: DailyLimits): Promise<ReportedUsage> {
  const today = dayOf(await tables.now());
  const table = tables.of(DailyUsage);
  const empty = newRow(DailyUsage, { company_id: company, day: today, writer: reports });
  await table.insertAbsent([empty], ['company_id', 'day', 'writer']);
  const ofToday = [
    ['company_id', '=', company],
    ['day', '=', today],
  ] as const;
  const [own] = await table.find({ where: [...ofToday, ['writer', '=', reports]], lock: 'wait' });
  const used = sumUsage(await table.find({ where: ofToday }));
  const room = {
    output: Math.max(0, limitOf(limits, 'output') - used.output),
    artifacts: Math.max(0, limitOf(limits, 'artifacts') - used.artifacts),
  };
  return { day: today, room, row: required(own, `usage of company ${company}`) };
}

/** Counts what a report stores. */
export async function countReported(tables: Tables, { row }: ReportedUsage, stored: StoredBytes): Promise<void> {
  const set = { output: row.output + stored.output, artifacts: row.artifacts + stored.artifacts };
  await tables.of(DailyUsage).update([{ row, set }]);
}
