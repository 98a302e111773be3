import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { enabledIds } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { Scope } from './scope.ts';

/** Counts the templates whose windows get no Tasks: inactive ones, and those of a disabled App or company. */
export async function countSwitchedOff(tables: Tables, scope: Scope): Promise<number> {
  const [all, enabled] = await Promise.all([
    tables.of(RunTemplate).count(scope),
    countEnabled(tables, [['active', '=', true], ...scope]),
  ]);
  return all - enabled;
}

/** Counts the templates whose Apps and companies are enabled. */
export async function countEnabled(tables: Tables, where: Where<RunTemplateRow>): Promise<number> {
  const groups = await tables.of(RunTemplate).countBy(['app_id', 'company_id'], where);
  const [apps, companies] = await Promise.all([
    enabledIds(
      tables,
      App,
      groups.map(({ values: [app] }) => app),
    ),
    enabledIds(
      tables,
      Company,
      groups.map(({ values: [, company] }) => company),
    ),
  ]);
  return groups
    .filter(({ values: [app, company] }) => apps.has(app) && companies.has(company))
    .reduce((sum, { count }) => sum + count, 0);
}
