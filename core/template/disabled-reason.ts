import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { appColumns } from '../executor/allowed-executors.ts';
import type { Where } from '../store/query.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import type { RunTemplateRow } from './run-template.ts';

/** The columns of a template's App and company that decide whether its jobs may run, with which variables, and by what. */
export interface TemplateOwners {
  readonly app: Pick<AppRow, (typeof ownerColumns)[number]>;
  readonly company: Pick<CompanyRow, 'id' | 'enabled'>;
}

/** The owners that may be disabled. */
type EnabledOwners = Readonly<Record<keyof TemplateOwners, Pick<AppRow, 'id' | 'enabled'>>>;

const ownerColumns = ['enabled', 'environment', ...appColumns] as const;

type OwnedTemplate = Pick<RunTemplateRow, 'id' | 'app_id' | 'company_id'>;

export async function readOwners(tables: Tables, template: OwnedTemplate): Promise<TemplateOwners> {
  const [[app], [company]] = await Promise.all([
    tables.of(App).find({ where: [['id', '=', template.app_id]], columns: ownerColumns }),
    tables.of(Company).find({ where: [['id', '=', template.company_id]], columns: ['id', 'enabled'] }),
  ]);
  return {
    app: required(app, `App of RunTemplate ${template.id}`),
    company: required(company, `company of RunTemplate ${template.id}`),
  };
}

/**
 * Returns the reason why no job of a template may run, even if the template is active: its App or its company is
 * disabled. Null = jobs may run.
 */
export function disabledReason({ app, company }: EnabledOwners): string | null {
  if (!app.enabled) return `App ${app.id} is disabled.`;
  return company.enabled ? null : `Company ${company.id} is disabled.`;
}

/** Returns the reason why no job of a template may be scheduled now: it is not active, or disabled. Null = jobs may. */
export function notRunnableReason(
  { id, active }: Pick<RunTemplateRow, 'id' | 'active'>,
  owners: EnabledOwners,
): string | null {
  return active ? disabledReason(owners) : `RunTemplate ${id} is not active.`;
}

/** Returns the templates for which `disabledReason` returns null, by two queries for them all. */
export async function withoutDisabled<T extends OwnedTemplate>(
  tables: Tables,
  templates: readonly T[],
): Promise<readonly T[]> {
  const [apps, companies] = await Promise.all([
    enabledIds(
      tables,
      App,
      templates.map((template) => template.app_id),
    ),
    enabledIds(
      tables,
      Company,
      templates.map((template) => template.company_id),
    ),
  ]);
  return templates.filter((template) => apps.has(template.app_id) && companies.has(template.company_id));
}

/** Returns which of these Apps or companies are enabled. */
export async function enabledIds(
  tables: Tables,
  description: TableDescription,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const where: Where = [
    ['id', 'in', [...new Set(ids)]],
    ['enabled', '=', true],
  ];
  return new Set((await tables.of(description).find({ where, columns: ['id'] })).map((row) => row.id));
}

/** Returns which Apps or companies are disabled: few, in most services. */
export async function disabledIds(tables: Tables, description: TableDescription): Promise<readonly number[]> {
  return (await tables.of(description).find({ where: [['enabled', '=', false]], columns: ['id'] })).map(({ id }) => id);
}
