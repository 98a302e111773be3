import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import type { Reaction } from '../records/removal.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import type { Tables, Where } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { rescheduleTemplate, unscheduleTemplate } from './reschedule-template.ts';

/** Schedules follow their templates. */
export const onTemplateChange: Reaction<RunTemplateRow> = async ({ before, after }, tables) => {
  if (!after) return before && unscheduleTemplate(tables, before);
  const withEnabled = async (row: RunTemplateRow) => ({
    ...row,
    enabled: (await disabledReason(tables, row)) === null,
  });
  // It may have been given another app, so each is asked about its own.
  await rescheduleTemplate(tables, { before: before && (await withEnabled(before)), after: await withEnabled(after) });
};

/** Disabling an app lifts what its templates owe; enabling it begins anew. */
export const onAppChange: Reaction<AppRow> = async ({ before, after }, tables) => {
  if (!before || !after || before.enabled === after.enabled) return;
  const templates = await activeTemplates(tables, [['app_id', '=', after.id]]);
  const companies = await enabledIds(
    tables,
    Company,
    templates.map((template) => template.company_id),
  );
  await switchAll(
    tables,
    templates.filter((template) => companies.has(template.company_id)),
    after.enabled,
  );
};

/** Disabling a company lifts what its templates owe; enabling it begins anew. */
export const onCompanyChange: Reaction<CompanyRow> = async ({ before, after }, tables) => {
  if (!before || !after || before.enabled === after.enabled) return;
  const templates = await activeTemplates(tables, [['company_id', '=', after.id]]);
  const apps = await enabledIds(
    tables,
    App,
    templates.map((template) => template.app_id),
  );
  await switchAll(
    tables,
    templates.filter((template) => apps.has(template.app_id)),
    after.enabled,
  );
};

/** Why nothing of this template may run although it is active itself, in a sentence; null = it may. */
export async function disabledReason(
  tables: Tables,
  template: Pick<RunTemplateRow, 'app_id' | 'company_id'>,
): Promise<string | null> {
  const columns = ['enabled'];
  const [[app], [company]] = await Promise.all([
    tables.of(App).find({ where: [['id', '=', template.app_id]], columns }),
    tables.of(Company).find({ where: [['id', '=', template.company_id]], columns }),
  ]);
  if (!app?.enabled) return `App ${template.app_id} is disabled.`;
  return company?.enabled ? null : `Company ${template.company_id} is disabled.`;
}

function activeTemplates(tables: Tables, where: Where): Promise<RunTemplateRow[]> {
  return tables.of(RunTemplate).find({ where: [...where, ['active', '=', true]] });
}

async function enabledIds(
  tables: Tables,
  description: TableDescription<{ id: number }>,
  ids: readonly number[],
): Promise<Set<number>> {
  const where: Where = [
    ['id', 'in', [...new Set(ids)]],
    ['enabled', '=', true],
  ];
  return new Set((await tables.of(description).find({ where, columns: ['id'] })).map((row) => row.id));
}

async function switchAll(tables: Tables, templates: readonly RunTemplateRow[], enabled: boolean): Promise<void> {
  for (const template of templates)
    await rescheduleTemplate(tables, { before: { ...template, enabled: !enabled }, after: { ...template, enabled } });
}
