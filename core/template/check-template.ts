import type { FieldError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import { keepSecretOptions, readOptions } from '../resource/options.ts';
import { checkTiming, type Timing } from '../time/timing.ts';
import { type ActionLists, actionFields, readActions } from './template-actions.ts';

/** The fields of a template that are checked together. */
interface CheckedTemplate extends Timing, ActionLists {
  readonly starts_at: Instant | null;
  readonly ends_at: Instant | null;
  readonly executor: string;
  executor_options: Readonly<Record<string, unknown>>;
}

/** What the fields of a template cannot say of themselves: what they must be to each other, and to what is loaded. */
export function checkTemplate(row: CheckedTemplate, context: CheckContext<CheckedTemplate>): void {
  const errors: FieldError[] = [...checkTiming(row)];
  if (row.starts_at !== null && row.ends_at !== null && row.starts_at >= row.ends_at)
    errors.push({ field: 'ends_at', message: 'ends_at must be after starts_at' });
  checkExecutor(row, context, errors);
  for (const field of actionFields)
    row[field] = readActions(field, row[field], context.before?.[field], context.service.actions, errors);
  for (const { field, message } of errors) context.refuse(field, message);
}

function checkExecutor(row: CheckedTemplate, context: CheckContext<CheckedTemplate>, errors: FieldError[]): void {
  const { before, service } = context;
  const executor = service.executors.get(row.executor);
  if (!executor) {
    errors.push({ field: 'executor', message: `no loaded plugin brings the executor ${row.executor}` });
    return;
  }
  const stored = before?.executor === row.executor ? before.executor_options : undefined;
  const complete = keepSecretOptions(executor.options, row.executor_options, stored);
  row.executor_options = readOptions(['executor_options'], executor.options, complete, errors);
}
