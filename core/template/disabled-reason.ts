import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import type { Tables } from '../store/store.ts';
import type { RunTemplateRow } from './run-template.ts';

/**
 * Returns the reason why no job of a template may run, even if the template is active: its App or its company is
 * disabled. Null = jobs may run.
 */
export async function disabledReason(
  tables: Tables,
  template: Pick<RunTemplateRow, 'app_id' | 'company_id'>,
): Promise<string | null> {
  const columns = ['enabled'] as const;
  const [[app], [company]] = await Promise.all([
    tables.of(App).find({ where: [['id', '=', template.app_id]], columns }),
    tables.of(Company).find({ where: [['id', '=', template.company_id]], columns }),
  ]);
  if (!app?.enabled) return `App ${template.app_id} is disabled.`;
  return company?.enabled ? null : `Company ${template.company_id} is disabled.`;
}
