import type { Instant } from '../loop/clock.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';

/**
 * Switches a template off on behalf of an action, which the audit log names, unless the template was changed
 * since the event: the change may have corrected the cause.
 * @returns a sentence that says what was done.
 */
export async function deactivateTemplate(
  context: RecordsContext,
  { action, templateId, noticedAt }: { action: string; templateId: number; noticedAt: Instant },
): Promise<string> {
  const actor = trustedActor(`action ${action}`);
  const templates = new Records(context.findResource(RunTemplate.name) as Resource<RunTemplateRow>, context);
  return context.store.transaction(actor, async (tables) => {
    const [template] = await tables.of(RunTemplate).find({ where: [['id', '=', templateId]], lock: 'wait' });
    if (!template) return `RunTemplate ${templateId} was deleted.`;
    if (!template.active) return `RunTemplate ${templateId} is inactive already.`;
    if (template.updated_at > noticedAt) return `RunTemplate ${templateId} was changed since, so it stays active.`;
    await templates.saveIn(tables, actor, { active: false }, { id: templateId });
    return `RunTemplate ${templateId} is inactive now.`;
  });
}
