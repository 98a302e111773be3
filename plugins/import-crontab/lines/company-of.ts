import { type Actor, Company, type CompanyRow, HorariumError, type PluginCore } from '@horarium/core/plugin';

/** @throws HorariumError `not_found` for a company that does not exist, or that the actor may not see. */
export async function companyOf(core: PluginCore, actor: Actor, code: string): Promise<CompanyRow> {
  const { rows } = await core.records(Company).list(actor, { where: [['code', '=', code]], limit: 1 });
  const [row] = rows;
  if (row) return core.records(Company).get(actor, row.id);
  throw new HorariumError(
    'not_found',
    `There is no company ${code}; horarium company:save --code ${code} --name "…" makes it.`,
  );
}
