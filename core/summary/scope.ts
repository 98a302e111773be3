import { Company } from '../company/company.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { companiesOf, isAdmin } from '../resource/permissions.ts';
import type { Tables } from '../store/store.ts';

/** The condition for the rows of the companies that a summary is about. All tables that it reads have a `company_id`. */
export type Scope = readonly (readonly ['company_id', 'in', readonly number[]])[];

/**
 * Returns the scope of a summary: one company, or all that the actor may see.
 * @throws HorariumError `not_found` for a company that the actor may not see.
 */
export async function scopeOf(tables: Tables, actor: Actor, company: number | null): Promise<Scope> {
  if (company !== null) {
    await readVisible(tables, actor, Company, company);
    return [['company_id', 'in', [company]]];
  }
  return isAdmin(actor) ? [] : [['company_id', 'in', companiesOf(actor, 'viewer')]];
}
