import { text } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { maxReason } from '../task/task.ts';
import { holdOf, type WaitingJob } from './hold.ts';

/** Tells why a job that is due does not run. It is derived when it is read: no tick writes it. */
export const waitingReason: ComputedOptions<WaitingJob> = {
  fields: {
    waiting_reason: text(maxReason, {
      readOnly: true,
      description: 'Why a due job has not started yet; null if nothing holds it up.',
    }),
  },
  detailOnly: true,
  async load(tables, rows) {
    const details: { readonly waiting_reason: string | null }[] = [];
    for (const job of rows) {
      await yieldToEventLoop();
      details.push({ waiting_reason: (await holdOf(tables, job))?.reason ?? null });
    }
    return details;
  },
};
