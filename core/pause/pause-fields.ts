import { ref } from '../field/fields.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { readPauses, templateRef } from './pauses.ts';

/** The computed field of a run template that names the pause which holds its jobs. */
export const pauseFields: ComputedOptions<{ readonly id: number; readonly company_id: number }> = {
  fields: {
    pause_id: ref('Pause', { readOnly: true, description: 'The pause that holds its jobs now; null = none does.' }),
  },
  async load(tables, rows) {
    const templates = rows.map(templateRef);
    const [pauses, now] = await Promise.all([readPauses(tables, templates), tables.now()]);
    return templates.map((template) => ({ pause_id: pauses.at(template, now)?.id ?? null }));
  },
};
