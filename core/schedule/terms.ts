import type { RunTemplateRow } from './run-template.ts';

const termFields = [
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
export type Terms = Pick<RunTemplateRow, (typeof termFields)[number]>;

/** The terms alone, so that they can be kept after the template was changed. */
export function termsOf(template: Terms): Terms {
  return Object.fromEntries(termFields.map((field) => [field, template[field]])) as Terms;
}
