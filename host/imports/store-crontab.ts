import {
  type Actor,
  Company,
  type Core,
  HorariumError,
  RunTemplate,
  type RunTemplateRow,
  sayTheSame,
  type Tables,
} from '@horarium/core';
import type { CrontabPlan } from './plan-crontab.ts';
import { type Fate, fateOf, storeApp } from './store-apps.ts';

export interface StoredLine {
  readonly app: number;
  readonly runtemplate: number;
  /** Where the line names none and none was given, the one that the template has or gets. */
  readonly timezone: string;
  readonly fate: Fate;
  /** Other templates of the company that equal lines were imported as; they run as well. */
  readonly equal: readonly { readonly id: number; readonly name: string }[];
}

/** Saves the Apps and RunTemplates of crontab lines inside the caller's transaction. */
export async function storeCrontab(core: Core, actor: Actor, tables: Tables, plan: CrontabPlan): Promise<StoredLine[]> {
  const company = await companyOf(tables, plan.company);
  const stored: StoredLine[] = [];
  for (const { app, template } of plan.lines) {
    const saved = await storeApp(core, actor, tables, app);
    const { company: _code, app_uuid: _uuid, ...fields } = template;
    const key = [
      ['company_id', '=', company],
      ['code', '=', template.code],
    ] as const;
    const [before] = await tables.of(RunTemplate).find({ where: key, columns: ['id', 'revision'] });
    const input = { ...fields, company_id: company, app_id: saved.row.id };
    const { row, created } = await core.records(RunTemplate).saveIn(tables, actor, input, {});
    const fate = fateOf(before, row, created);
    stored.push({
      app: saved.row.id,
      runtemplate: row.id,
      timezone: row.timezone as string,
      fate: fate === 'unchanged' ? saved.fate : fate,
      equal: await equalTo(tables, row),
    });
  }
  return stored;
}

async function equalTo(tables: Tables, { id, company_id, cron, code }: RunTemplateRow): Promise<StoredLine['equal']> {
  const where = [
    ['company_id', '=', company_id],
    ['cron', '=', cron],
  ] as const;
  const rows = await tables.of(RunTemplate).find({ where, columns: ['id', 'code', 'name'] });
  return rows.filter((row) => row.id !== id && row.code !== null && sayTheSame(row.code, code as string));
}

async function companyOf(tables: Tables, code: string): Promise<number> {
  const [company] = await tables.of(Company).find({ where: [['code', '=', code]] });
  if (company) return company.id;
  throw new HorariumError(
    'not_found',
    `There is no company ${code}; horarium company:save --code ${code} --name "…" makes it.`,
  );
}
