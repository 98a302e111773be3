import { invalid } from '../errors.ts';
import { executorRefusal, type RunnableApp, rulingExecutor } from '../executor/allowed-executors.ts';
import { attemptOptions, restrictionRefusal } from '../executor/restrictions.ts';
import type { ExecutorSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { RunTemplateRow } from './run-template.ts';

/**
 * Checks the executor of one job: its App may be run with it, and it enforces what the template restricts. Warns where
 * there is nothing to restrict, because the attempts run elsewhere.
 * @throws HorariumError `invalid`.
 */
export function checkJobExecutor(
  tables: Pick<Tables, 'warn'>,
  executors: ExecutorSchemas,
  {
    app,
    template,
  }: { readonly app: RunnableApp; readonly template: Pick<RunTemplateRow, 'executor' | 'executor_options'> },
  executor: string,
): void {
  const given = attemptOptions(executors, template, executor);
  const isUnplaced = executor !== template.executor && executors.get(executor)?.assignment !== undefined;
  const message = isUnplaced
    ? `the executor ${executor} takes its pool from the template, whose executor is ${template.executor}`
    : (executorRefusal(executors, app, rulingExecutor(executors, executor, given.options).name) ??
      restrictionRefusal(executors, given, executor));
  if (message !== null) throw invalid('Job', [{ field: 'executor', message }]);
  if (given.unenforced.length > 0)
    tables.warn(`${given.unenforced.join(', ')} of the template: nothing is restricted where ${executor} runs the job`);
}
