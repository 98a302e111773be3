import { ref } from '../field/fields.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { ofTemplate, pauseHolding, readPauses } from './pauses-at.ts';

/** The computed field of a run template that names the pause which holds its jobs. */
export const pauseFields: ComputedOptions<{ readonly id: number; readonly company_id: number }> = {
  fields: {
    pause_id: ref('Pause', { readOnly: true, description: 'The pause that holds its jobs now; null = none does.' }),
  },
  async load(tables, rows) {
    const templates = rows.map(ofTemplate);
    const pauses = await readPauses(tables, templates);
    if (pauses.length === 0) return rows.map(() => ({ pause_id: null }));
    const now = await tables.now();
    return templates.map((template) => ({ pause_id: pauseHolding(pauses, template, now)?.id ?? null }));
  },
};
