import { denied } from '../errors.ts';
import { slugOf } from '../field/slug.ts';
import type { Records } from '../records/records.ts';
import { asSaved, type Saved } from '../records/saved.ts';
import { visibleTo, writeRefusalOf } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Company, type CompanyInput, type CompanyRow } from './company.ts';

/**
 * Finds the company of this code or name among those that the actor may see, or else makes one of this name.
 * @throws HorariumError `denied` for an actor who may make none, `invalid` for a name that a company may not have.
 */
export async function companyNamed(
  companies: Records<CompanyRow, CompanyInput>,
  tables: Tables,
  actor: Actor,
  name: string,
): Promise<Saved<CompanyRow>> {
  const find = async (field: 'code' | 'name') => {
    const where: Where = [[field, '=', name], ...(visibleTo(actor, Company) as Where)];
    const order = [['id', 'asc']] as const;
    return (await tables.of(Company).find({ where: where as Where<CompanyRow>, order, limit: 1 }))[0];
  };
  const found = (await find('code')) ?? (await find('name'));
  if (found) return asSaved({ ...found }, { created: false, warnings: [] });
  const refusal = writeRefusalOf(actor, Company, ['create']);
  if (refusal !== undefined) throw denied(refusal);
  const code = slugOf(name).slice(0, 64) || 'company';
  return companies.saveIn(tables, actor, { code, name }, { createOnly: true });
}
