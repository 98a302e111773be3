import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import type { Tables } from '../store/store.ts';
import { disabledIds } from '../template/disabled-reason.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { Scope } from './scope.ts';

/** Counts the templates whose windows get no Tasks: inactive ones, and those of a disabled App or company. */
export async function countSwitchedOff(tables: Tables, scope: Scope): Promise<number> {
  const [apps, companies] = await Promise.all([disabledIds(tables, App), disabledIds(tables, Company)]);
  const isOff = {
    any: [[['active', '=', false]], [['app_id', 'in', apps]], [['company_id', 'in', companies]]],
  } as const;
  return tables.of(RunTemplate).count([isOff, ...scope]);
}
