import { conflict } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { TimeRange } from '../time/local-time.ts';
import { describePause, endOfPause, Pause, type PauseRow } from './pause.ts';

/** Names a run template and its company, as Tasks, jobs and schedules do. */
export interface TemplateRef {
  readonly runtemplate_id: number;
  readonly company_id: number;
}

export function templateRef({ id, company_id }: { readonly id: number; readonly company_id: number }): TemplateRef {
  return { runtemplate_id: id, company_id };
}

/** Some pauses, by what they hold. */
export class Pauses {
  readonly #ofTemplates = new Map<number, PauseRow[]>();
  /** Those of whole companies; null = of all. */
  readonly #ofCompanies = new Map<number | null, PauseRow[]>();

  constructor(rows: readonly PauseRow[]) {
    for (const row of rows)
      if (row.runtemplate_id !== null) addTo(this.#ofTemplates, row.runtemplate_id, row);
      else addTo(this.#ofCompanies, row.company_id, row);
  }

  /** Returns the pause that holds the jobs of a run template at an instant: of several the one that ends last. */
  at({ runtemplate_id, company_id }: TemplateRef, at: Instant): PauseRow | undefined {
    let last: PauseRow | undefined;
    for (const rows of [
      this.#ofTemplates.get(runtemplate_id),
      this.#ofCompanies.get(company_id),
      this.#ofCompanies.get(null),
    ])
      for (const row of rows ?? []) if (isInForce(row, at) && (!last || endOfPause(row) > endOfPause(last))) last = row;
    return last;
  }
}

/** What most callers get. */
const none = new Pauses([]);

function addTo<K>(groups: Map<K, PauseRow[]>, key: K, row: PauseRow): void {
  const rows = groups.get(key);
  if (rows) rows.push(row);
  else groups.set(key, [row]);
}

function isInForce(pause: PauseRow, at: Instant): boolean {
  return pause.starts_at !== null && pause.starts_at <= at && at < endOfPause(pause);
}

/**
 * Reads the pauses that have not ended, of some run templates. It costs no query while there is no pause at all. They are
 * read as they are at this moment, also by a transaction that has read them before: one that has locked the templates sees
 * whether a pause has ended meanwhile, whose jobs were released before.
 */
export async function readPauses(tables: Tables, of: readonly TemplateRef[]): Promise<Pauses> {
  const notEnded: Where<PauseRow> = [['ended_at', '=', null]];
  if (of.length === 0 || (await tables.of(Pause).count(notEnded, 1)) === 0) return none;
  return findPauses(tables, [...notEnded, scopesOf(of)]);
}

/** Reads the pauses of some run templates that were in force at any time of a span, also those that have ended since. */
export async function readPausesDuring(tables: Tables, of: readonly TemplateRef[], range: TimeRange): Promise<Pauses> {
  const rows = await readPauseRowsDuring(tables, of, range);
  return rows.length === 0 ? none : new Pauses(rows);
}

/** Reads the same as rows, by id. @param limit how many it reads: those that were made last. @default all */
export async function readPauseRowsDuring(
  tables: Tables,
  of: readonly TemplateRef[],
  { from, to }: TimeRange,
  limit = Number.POSITIVE_INFINITY,
): Promise<PauseRow[]> {
  if (of.length === 0 || (await tables.of(Pause).count([], 1)) === 0) return [];
  // An end before its time sets `until` too.
  const endsLater: Condition<PauseRow> = { any: [[['until', '=', null]], [['until', '>', from]]] };
  const where: Where<PauseRow> = [['starts_at', '<=', to], endsLater, scopesOf(of)];
  return (await tables.of(Pause).find({ where, order: [['id', 'desc']], limit })).reverse();
}

/** @throws HorariumError `conflict` for a job that would start in a pause. @param at when it is due. */
export async function assertNotPaused(tables: Tables, of: TemplateRef, at: Instant): Promise<void> {
  const pause = (await readPauses(tables, [of])).at(of, at);
  if (pause) throw conflict(`RunTemplate ${of.runtemplate_id} is ${describePause(pause)} (Pause ${pause.id}).`);
}

/** The order keeps the cache from answering with rows of an earlier moment. */
async function findPauses(tables: Tables, where: Where<PauseRow>): Promise<Pauses> {
  return new Pauses(await tables.of(Pause).find({ where, order: [['id', 'asc']] }));
}

function scopesOf(of: readonly TemplateRef[]): Condition<PauseRow> {
  const distinct = (column: keyof TemplateRef) => [...new Set(of.map((each) => each[column]))];
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
