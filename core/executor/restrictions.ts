import { fits, metaOf } from '../field/field-meta.ts';
import type { Options } from '../records/plugin-options.ts';
import type { ExecutorSchema, ExecutorSchemas } from '../resource/record-services.ts';
import { isExternalExecutor } from './executor.ts';

/** The fields of a template that say how its jobs run. */
export interface RunOptions {
  readonly executor: string;
  readonly executor_options: Options;
}

/** The options of an attempt. */
export interface AttemptOptions {
  readonly options: Options;
  /** The restrictions of the template that the executor of the attempt cannot enforce. */
  readonly unenforced: readonly string[];
}

/**
 * Returns the options of an attempt with that executor: the options of its template, or with another executor than the
 * template's those that restrict.
 */
export function attemptOptions(executors: ExecutorSchemas, template: RunOptions, executor: string): AttemptOptions {
  if (executor === template.executor) return { options: template.executor_options, unenforced: [] };
  const chosen = executors.get(executor);
  const restrictions = restrictionsOf(executors.get(template.executor), template.executor_options);
  const isEnforced = ([name, value]: [string, unknown]) =>
    chosen !== undefined && isRestriction(chosen, name) && fits({ fields: chosen.options }, name, value);
  return {
    options: Object.fromEntries(restrictions.filter(isEnforced)),
    unenforced: restrictions.filter((entry) => !isEnforced(entry)).map(([name]) => name),
  };
}

/**
 * Returns why an attempt with these options may not have that executor; null = it may. Where the executor runs nothing here,
 * there is nothing to restrict.
 */
export function restrictionRefusal(
  executors: ExecutorSchemas,
  { unenforced }: AttemptOptions,
  executor: string,
): string | null {
  const isRestricting = unenforced.length > 0 && !isExternalExecutor(executors.get(executor) ?? {});
  return isRestricting ? `the executor ${executor} cannot enforce ${unenforced.join(', ')} of the template` : null;
}

/** Lists the options that are set and restrict; all that are set where the executor of the template is not known here. */
function restrictionsOf(executor: ExecutorSchema | undefined, options: Options): [string, unknown][] {
  const isSet = (value: unknown) => value !== null && value !== undefined && value !== false;
  return Object.entries(options).filter(
    ([name, value]) => isSet(value) && (executor === undefined || isRestriction(executor, name)),
  );
}

function isRestriction({ options }: ExecutorSchema, name: string): boolean {
  const field = Object.hasOwn(options, name) ? options[name] : undefined;
  return field !== undefined && metaOf(field).restricts === true;
}
