import { Company } from '../company/company.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { companiesOf, isAdmin } from '../resource/permissions.ts';
import type { Tables } from '../store/store.ts';

type CompanyRange = readonly [readonly ['company_id', '>=', number], readonly ['company_id', '<=', number]];

/**
 * The condition for the rows of the companies that a summary is about. All tables that it reads have a `company_id`. It
 * names ranges of companies in place of single ones, because SQLite would search by these: it would read all Tasks that a
 * company ever had, rather than those of a day by the index of their ends.
 */
export type Scope = readonly (
  | { readonly any: readonly CompanyRange[] }
  | readonly ['company_id', 'in', readonly number[]]
)[];

/** Of how many ranges a scope consists at most; a user who sees more of them is rare. */
const maxRanges = 100;

/**
 * Returns the scope of a summary: one company, or all that the actor may see.
 * @throws HorariumError `not_found` for a company that the actor may not see.
 */
export async function scopeOf(tables: Tables, actor: Actor, company: number | null): Promise<Scope> {
  if (company !== null) {
    await readVisible(tables, actor, Company, company);
    return [{ any: [rangeOf([company])] }];
  }
  if (isAdmin(actor)) return [];
  const companies = companiesOf(actor, 'viewer');
  const ranges = consecutive(companies).map(rangeOf);
  const areFew = ranges.length > 0 && ranges.length <= maxRanges;
  return areFew ? [{ any: ranges }] : [['company_id', 'in', companies]];
}

/** Divides ids into runs of such that follow each other. */
function consecutive(ids: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const id of ids.toSorted((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run?.at(-1) === id - 1) run.push(id);
    else runs.push([id]);
  }
  return runs;
}

function rangeOf(run: readonly number[]): CompanyRange {
  return [
    ['company_id', '>=', run[0] as number],
    ['company_id', '<=', run.at(-1) as number],
  ];
}
