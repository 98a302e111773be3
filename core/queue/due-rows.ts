import { Company } from '../company/company.ts';
import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { inTurn } from './turns.ts';

/** What is due in a table whose rows belong to companies. */
export interface DueRowsQuery<R extends AnyRow> {
  /** The instant at which a row is due; null = never. The table has indexes on it and on `company_id` with it. */
  readonly column: keyof R & string;
  /** Rows are due that have this time or an earlier one. */
  readonly until: Instant;
  /** How many rows are wanted at most. */
  readonly limit: number;
  /** How many rows of one company are read while another company is enabled. */
  readonly share: number;
  /** The company that was last served, where companies go round. */
  readonly last: number;
  /** Locks the rows, and leaves out those that another transaction has locked. @default nothing is locked */
  readonly lock?: 'skip';
}

export interface DueRows<R> {
  /** The rows of each company together, those that are due first before the others. */
  readonly rows: readonly R[];
  /** The company that was last served. */
  readonly last: number;
  /** Whether there are further ones. */
  readonly more: boolean;
  /** Whether a company may have no more than its share. */
  readonly isShared: boolean;
}

/** Whether no second company is enabled, so that one may have all slots. */
export async function isOnlyCompany(tables: Tables): Promise<boolean> {
  return (await tables.of(Company).count([['enabled', '=', true]], 2)) < 2;
}

/** How many companies are served at once. */
const maxCompanies = 32;

/** Reads due rows so that companies take turns: no company has more than its share of them while another one is enabled. */
export async function readInTurns<R extends AnyRow & { readonly company_id: number }>(
  tables: Tables,
  description: TableDescription<R>,
  { column, until, limit, share, last, lock }: DueRowsQuery<R>,
): Promise<DueRows<R>> {
  const table = tables.of<AnyRow>(description);
  const due: Where = [[column, '<=', until]];
  const find = async (where: Where, max: number): Promise<R[]> => {
    // As the index is, so that thousands of rows that are due at one instant need no sort.
    const order = [
      [column, 'asc'],
      ['company_id', 'asc'],
    ] as const;
    return (await table.find({ where, order, limit: max, ...(lock && { lock }) })) as R[];
  };
  const counts = new Map(
    (await table.countBy(['company_id'], due)).map(({ values, count }) => [values[0] as number, count]),
  );
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return { rows: [], last, more: false, isShared: false };
  const isShared = !(await isOnlyCompany(tables));
  const isWithinShare = [...counts.values()].every((count) => count <= share);
  if (!isShared || (total <= limit && isWithinShare))
    return { rows: await find(due, limit), last, more: total > limit, isShared };
  const companies = inTurn(counts.keys(), last).slice(0, maxCompanies);
  const each = Math.min(share, Math.ceil(limit / companies.length));
  const rows = await Promise.all(companies.map((id) => find([['company_id', '=', id], ...due], each)));
  const more = counts.size > companies.length || companies.some((id) => (counts.get(id) ?? 0) > each);
  return { rows: rows.flat(), last: companies.at(-1) ?? last, more, isShared };
}
