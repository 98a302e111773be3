import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import { disabledReason, enabledIds, readOwners } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import {
  rescheduleTemplate,
  type TemplateState,
  templateStateFields,
  unscheduleTemplate,
} from './reschedule-template.ts';

/** Reschedules a template that is saved, and unschedules one that is deleted. */
export async function onTemplateChange({ before, after }: RecordChange<RunTemplateRow>, tables: Tables): Promise<void> {
  if (!after) return before && unscheduleTemplate(tables, before);
  // The change may replace the App of the template, so the App is looked up for each version.
  await rescheduleTemplate(tables, {
    before: before && (await stateOf(tables, before)),
    after: await stateOf(tables, after),
  });
}

/** Waives the Tasks of an App's templates when the App is disabled, and starts their schedules when it is enabled. */
export function onAppChange(change: RecordChange<AppRow>, tables: Tables): Promise<void> {
  return onEnabledChange(tables, change, 'app_id', { description: Company, column: 'company_id' });
}

/** Waives the Tasks of a company's templates when the company is disabled, and starts their schedules when enabled. */
export function onCompanyChange(change: RecordChange<CompanyRow>, tables: Tables): Promise<void> {
  return onEnabledChange(tables, change, 'company_id', { description: App, column: 'app_id' });
}

type OwnerColumn = 'app_id' | 'company_id';

/**
 * Reschedules the active templates of a record that is enabled or disabled.
 * @param column refers from a template to that record.
 * @param other the other record that must be enabled for a template to be scheduled.
 */
async function onEnabledChange(
  tables: Tables,
  { before, after }: RecordChange<AppRow | CompanyRow>,
  column: OwnerColumn,
  other: { readonly description: TableDescription; readonly column: OwnerColumn },
): Promise<void> {
  if (!before || !after || before.enabled === after.enabled) return;
  const templates = await activeTemplates(tables, [[column, '=', after.id]]);
  const otherIds = templates.map((template) => template[other.column]);
  const enabled = await enabledIds(tables, other.description, otherIds);
  const affected = templates.filter((template) => enabled.has(template[other.column]));
  await rescheduleAll(tables, affected, after.enabled);
}

async function stateOf(tables: Tables, template: RunTemplateRow): Promise<TemplateState> {
  return { ...template, enabled: disabledReason(await readOwners(tables, template)) === null };
}

function activeTemplates(tables: Tables, where: Where<RunTemplateRow>): Promise<Omit<TemplateState, 'enabled'>[]> {
  return tables.of(RunTemplate).find({ where: [...where, ['active', '=', true]], columns: templateStateFields });
}

async function rescheduleAll(
  tables: Tables,
  templates: readonly Omit<TemplateState, 'enabled'>[],
  enabled: boolean,
): Promise<void> {
  for (const template of templates) {
    await yieldToEventLoop();
    await rescheduleTemplate(tables, { before: { ...template, enabled: !enabled }, after: { ...template, enabled } });
  }
}
