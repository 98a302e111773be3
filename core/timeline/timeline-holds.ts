import type { Instant } from '../loop/clock.ts';
import { readPlannedMaintenance } from '../maintenance/planned-maintenance.ts';
import { endOfPause, Pause, type PauseRow } from '../pause/pause.ts';
import { readPauseRowsDuring, type TemplateRef } from '../pause/pauses.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { TimeRange } from '../time/local-time.ts';

/** A span in which no job starts, with the time itself. Infinity = until a person resumes. */
export interface HoldSpan extends TemplateScope {
  readonly kind: 'pause' | 'maintenance';
  readonly id: number;
  readonly start: Instant;
  readonly end: Instant;
  /** Who paused; null = the maintenance window will. */
  readonly by: string | null;
  readonly reason: string;
}

interface TemplateScope {
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
}

/** How many pauses are read, the newest ones, and how many times of maintenance, the first ones. */
const maxHolds = 2000;

/** Reads the pauses of templates in a range, and the maintenance that has no pauses yet. */
export async function readHolds(
  tables: Tables,
  of: readonly TemplateRef[],
  range: TimeRange,
  calendarRules: CalendarRuleSchemas,
): Promise<HoldSpan[]> {
  const pauses = await readPauseRowsDuring(tables, of, range, maxHolds);
  const templates = new Set(of.map(({ runtemplate_id }) => runtemplate_id));
  const companies = new Set(of.map(({ company_id }) => company_id));
  const concerns = ({ runtemplate_id, company_id }: TemplateScope) =>
    (runtemplate_id === null || templates.has(runtemplate_id)) && (company_id === null || companies.has(company_id));
  return [...pauses.map(holdOf), ...(await readMaintenance(tables, range, calendarRules, concerns))];
}

/** Reads the same for whatever templates there are, of the pauses only those that have not ended. */
export async function readAllHolds(
  tables: Tables,
  range: TimeRange,
  calendarRules: CalendarRuleSchemas,
): Promise<HoldSpan[]> {
  const where = [['ended_at', '=', null] as const, ['starts_at', '<=', range.to] as const];
  const pauses = await tables.of(Pause).find({ where, order: [['id', 'desc']], limit: maxHolds });
  return [...pauses.map(holdOf), ...(await readMaintenance(tables, range, calendarRules, () => true))];
}

function holdOf(pause: PauseRow): HoldSpan {
  const { id, runtemplate_id, company_id, starts_at, paused_by: by, reason } = pause;
  return { kind: 'pause', id, runtemplate_id, company_id, start: starts_at ?? 0, end: endOfPause(pause), by, reason };
}

async function readMaintenance(
  tables: Tables,
  range: TimeRange,
  calendarRules: CalendarRuleSchemas,
  concerns: (window: TemplateScope) => boolean,
): Promise<HoldSpan[]> {
  const maintenance = await readPlannedMaintenance(tables, calendarRules);
  const holds: HoldSpan[] = [];
  for (const { window, start, end } of maintenance.spans(range, concerns)) {
    if (holds.length >= maxHolds) break;
    const { id, runtemplate_id, company_id, name } = window;
    holds.push({ kind: 'maintenance', id, runtemplate_id, company_id, start, end, by: null, reason: name });
  }
  return holds;
}

/** Spans that follow each other without touching. */
export type HeldSpans = readonly { readonly start: Instant; readonly end: Instant }[];

/** Returns the spans in which jobs of a template are held. */
export function heldSpansOf(holds: readonly HoldSpan[], { runtemplate_id, company_id }: TemplateRef): HeldSpans {
  const own = holds.filter(
    (hold) =>
      (hold.runtemplate_id === null || hold.runtemplate_id === runtemplate_id) &&
      (hold.company_id === null || hold.company_id === company_id),
  );
  const spans: { start: Instant; end: Instant }[] = [];
  for (const { start, end } of own.sort((one, other) => one.start - other.start)) {
    const last = spans.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}

/** Whether an instant lies in one of the spans. */
export function isHeldAt(spans: HeldSpans, at: Instant): boolean {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as HeldSpans[number]).start <= at) low = middle + 1;
    else high = middle;
  }
  return at < (spans[low - 1]?.end ?? -Infinity);
}
