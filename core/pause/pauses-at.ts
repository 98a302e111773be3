import { conflict } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { describePause, endOfPause, Pause, type PauseRow } from './pause.ts';

/** What refers to a run template and its company, as Tasks, jobs and schedules do. */
export interface OfTemplate {
  readonly runtemplate_id: number;
  readonly company_id: number;
}

/** Refers to a run template, and to its company. */
export function ofTemplate({ id, company_id }: { readonly id: number; readonly company_id: number }): OfTemplate {
  return { runtemplate_id: id, company_id };
}

/**
 * Reads the pauses that have not ended, of some run templates. It costs no query while there is no pause at all. They are
 * read as they are at this moment, also by a transaction that has read them before: one that has locked the templates sees
 * whether a pause has ended meanwhile, whose jobs were released before.
 */
export async function readPauses(tables: Tables, of: readonly OfTemplate[]): Promise<readonly PauseRow[]> {
  const notEnded: Where<PauseRow> = [['ended_at', '=', null]];
  if (of.length === 0 || (await tables.of(Pause).count(notEnded, 1)) === 0) return [];
  return findPauses(tables, [...notEnded, scopesOf(of)]);
}

/** Reads the pauses of some run templates that were in force at any time of a span, also those that have ended since. */
export async function readPausesIn(
  tables: Tables,
  of: readonly OfTemplate[],
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Promise<readonly PauseRow[]> {
  if (of.length === 0 || (await tables.of(Pause).count([], 1)) === 0) return [];
  const endsLater: Condition<PauseRow> = { any: [[['until', '=', null]], [['until', '>', from]]] };
  const pauses = await findPauses(tables, [['starts_at', '<=', to], endsLater, scopesOf(of)]);
  return pauses.filter((pause) => endOfPause(pause) > from);
}

/** @throws HorariumError `conflict` for a job that would start in a pause. @param at when it is due. */
export async function assertNotPaused(tables: Tables, of: OfTemplate, at: Instant): Promise<void> {
  const pause = pauseHolding(await readPauses(tables, [of]), of, at);
  if (pause) throw conflict(`RunTemplate ${of.runtemplate_id} is ${describePause(pause)} (Pause ${pause.id}).`);
}

/** Returns the pause that holds the jobs of a run template at an instant: of several the one that ends last. */
export function pauseHolding(pauses: readonly PauseRow[], of: OfTemplate, at: Instant): PauseRow | undefined {
  let last: PauseRow | undefined;
  for (const pause of pauses) if (holds(pause, of, at) && (!last || endOfPause(pause) > endOfPause(last))) last = pause;
  return last;
}

function holds(pause: PauseRow, { runtemplate_id, company_id }: OfTemplate, at: Instant): boolean {
  const { starts_at } = pause;
  if (starts_at === null || starts_at > at || endOfPause(pause) <= at) return false;
  if (pause.runtemplate_id !== null) return pause.runtemplate_id === runtemplate_id;
  return pause.company_id === null || pause.company_id === company_id;
}

/** The order keeps the cache from answering with rows of an earlier moment. */
function findPauses(tables: Tables, where: Where<PauseRow>): Promise<PauseRow[]> {
  return tables.of(Pause).find({ where, order: [['id', 'asc']] });
}

function scopesOf(of: readonly OfTemplate[]): Condition<PauseRow> {
  const distinct = (column: keyof OfTemplate) => [...new Set(of.map((each) => each[column]))];
  return {
    any: [
      [['runtemplate_id', 'in', distinct('runtemplate_id')]],
      [
        ['runtemplate_id', '=', null],
        ['company_id', 'in', distinct('company_id')],
      ],
      [['company_id', '=', null]],
    ],
  };
}
