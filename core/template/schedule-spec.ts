import type { RunTemplateRow } from './run-template.ts';

const scheduleSpecFields = [
  'id',
  'app_id',
  'company_id',
  'executor',
  'interval',
  'cron',
  'timezone',
  'starts_at',
  'ends_at',
  'delay',
  'jitter',
  'deadline',
  'allow_late',
  'max_attempts',
  'retry_backoff',
  'retry_delay',
  'retry_max_delay',
  'catch_up',
] as const;

/** What of a template decides which windows it owes, the limits of their Tasks, and how their first jobs are made. */
export type ScheduleSpec = Pick<RunTemplateRow, (typeof scheduleSpecFields)[number]>;

/** The terms alone, so that they can be kept after the template was changed. */
export function scheduleSpecOf(template: ScheduleSpec): ScheduleSpec {
  return Object.fromEntries(scheduleSpecFields.map((field) => [field, template[field]])) as ScheduleSpec;
}
