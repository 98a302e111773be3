import type { Instant } from '../loop/clock.ts';
import { Pause, type PauseRow } from '../pause/pause.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { formatShortLocalTime } from '../time/local-time.ts';
import { withNames } from './problem.ts';
import type { Scope } from './scope.ts';

const columns = ['id', 'runtemplate_id', 'company_id', 'starts_at', 'until', 'paused_by', 'reason'] as const;

/** A pause that is in force, with the names of its run template and its company; null = it holds all of them. */
export interface NamedPause extends Pick<PauseRow, (typeof columns)[number]> {
  readonly name: string | null;
  readonly company: string | null;
}

/** Reads the pauses that are in force, those that began last first, and counts them all. @param limit how many it reads. */
export async function readPausesInForce(
  tables: Tables,
  scope: Scope,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<{ readonly paused: number; readonly pauses: readonly NamedPause[] }> {
  const where: Where<PauseRow> = [
    ['starts_at', '<=', now],
    ['ended_at', '=', null],
    { any: [[['until', '=', null]], [['until', '>', now]]] },
    ...(scope.length > 0 ? [{ any: [scope, [['company_id', '=', null] as const]] }] : []),
  ];
  const paused = await tables.of(Pause).count(where);
  if (paused === 0) return { paused, pauses: [] };
  const pauses = await tables.of(Pause).find({ where, order: [['starts_at', 'desc']], limit, columns });
  return { paused, pauses: await withNames(tables, pauses) };
}

/** Says what is paused until when: `Nightly backup (Acme) is paused until 14:05`; nothing where nothing is. */
export function pausesText(
  { paused, pauses: [first] }: { readonly paused: number; readonly pauses: readonly NamedPause[] },
  timezone: string,
  now: Instant,
): string | null {
  if (!first) return null;
  if (paused > 1) return `${paused} pauses are in force`;
  const { until } = first;
  const end = until === null ? 'a person resumes' : formatShortLocalTime(until, timezone, now);
  return `${subjectOf(first)} is paused until ${end}`;
}

/** Names what a pause holds: `Nightly backup (Acme)`, `company Acme`, `everything`. */
function subjectOf({ runtemplate_id, company_id, name, company }: NamedPause): string {
  if (company_id === null) return 'everything';
  if (runtemplate_id === null) return `company ${company ?? company_id}`;
  return `${name ?? `run template ${runtemplate_id}`} (${company ?? `company ${company_id}`})`;
}
