import { conflict } from '../errors.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from './run-template.ts';

/**
 * Refuses to activate a template when its company has as many active ones as it may. It counts admins' templates too: they
 * load the scheduler as those of others do, and who runs the service sets the limit. Changes of templates that are active
 * already are never refused, and of several that are activated at the same moment a few may exceed the limit.
 * @throws HorariumError `conflict` that names the limit.
 */
export async function boundActiveTemplates(
  { before, after }: RecordChange<RunTemplateRow>,
  tables: Tables,
  { maxTemplates }: RecordServices,
): Promise<void> {
  if (!after?.active || before?.active || maxTemplates === Infinity) return;
  const { company_id } = after;
  const active = [
    ['company_id', '=', company_id],
    ['active', '=', true],
  ] as const;
  if ((await tables.of(RunTemplate).count(active, maxTemplates + 1)) <= maxTemplates) return;
  throw conflict(
    `Company ${company_id} has ${maxTemplates} active templates, which is the limit: deactivate or delete others first, or save this one with active: false.`,
  );
}
