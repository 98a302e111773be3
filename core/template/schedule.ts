import { array, mixed } from 'yup';
import { count, instant, optionalJson, ref } from '../field/fields.ts';
import { defineBookkeeping } from '../resource/define-resource.ts';
import type { Backlog } from '../scheduler/backlog.ts';

/**
 * Where the scheduler stands with a run template, kept outside the record because a counter is no change of it.
 * There is one row for each template. Whoever changes the tasks or jobs of a template locks this row first, so that
 * rules about several of them (overlap, one attempt at a time) are judged by one host at a time.
 */
export const Schedule = defineBookkeeping({
  name: 'Schedule',
  indexes: [['next_at', 'id']],
  fields: {
    runtemplate_id: ref('RunTemplate', { unique: true, onDelete: 'cascade' }).required(),
    /** When the scheduler must look at it next; null = not scheduled. */
    next_at: instant(),
    /** Start of the first window that has no Task yet. */
    next_window: instant(),
    /** Windows of the template as it was before, that have no Tasks yet; null = none. */
    backlog: optionalJson(array().of(mixed<Backlog>().required()).required()),
    last_scheduled_at: instant(),
    successful_jobs_count: count(0),
    failed_jobs_count: count(0),
  },
});
export type ScheduleRow = NonNullable<(typeof Schedule)['row']>;
