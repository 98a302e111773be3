import type { AppRow } from '../app/app.ts';
import { defaultsOf } from '../app/declarations.ts';
import { variableRefusal } from '../app/forbidden-variables.ts';
import { originOf, originVariables } from '../executor/address.ts';
import { executorRefusal, type RulingExecutor, rulingExecutor } from '../executor/allowed-executors.ts';
import { type AttemptOptions, restrictionRefusal } from '../executor/restrictions.ts';
import type { ExecutorSchemas } from '../resource/record-services.ts';
import { containsCiphertext } from '../secret/ciphertext.ts';
import { type EnvironmentSources, type ResolvedEnvironment, resolveEnvironment } from './environment.ts';

/** An attempt whose environment is resolved. */
interface ResolvedExecution {
  readonly app: AppRow;
  /** The name of its executor. */
  readonly executor: string;
  /** The secrets among its options are encrypted. */
  readonly run: AttemptOptions;
  readonly sources: EnvironmentSources;
  readonly given: ResolvedEnvironment;
}

/**
 * Returns why an attempt may not run by its executor, as the App and the template are now; null = it may. The same was
 * checked when its job was scheduled, but they may have changed since, and nothing else checks the values of events.
 */
export function executionRefusal(executors: ExecutorSchemas, execution: ResolvedExecution): string | null {
  const { app, executor, run } = execution;
  const ruling = rulingExecutor(executors, executor, run.options);
  if (ruling.name !== executor && !ruling.schema)
    return `the executor ${ruling.name}, which agents are to run it by, is not loaded here, so that its rules are not known`;
  return (
    executorRefusal(executors, app, ruling.name) ??
    restrictionRefusal(executors, run, executor) ??
    environmentRefusal(ruling, execution) ??
    addressRefusal(ruling, execution)
  );
}

/**
 * Returns which variable the executor forbids. Where the App was saved, the plugin of the executor need not have been
 * loaded.
 */
function environmentRefusal({ name: executor, schema }: RulingExecutor, { given }: ResolvedExecution): string | null {
  if (!schema?.forbiddenVariables) return null;
  for (const name of Object.keys(given.environment)) {
    const refusal = variableRefusal(new Map([[executor, schema]]), name);
    if (refusal !== null) return `${name} ${refusal}`;
  }
  return null;
}

/** Returns the variables of one job that would send its request, with secrets of others, to another origin. */
function addressRefusal({ schema }: RulingExecutor, { app, run, sources, given }: ResolvedExecution): string | null {
  const addressOf = schema?.addressOf;
  const overridden = Object.keys(sources.overrides);
  if (!addressOf || overridden.length === 0 || !carriesSecrets(run, sources, given)) return null;
  const saved = resolveEnvironment({ ...sources, overrides: {} });
  const origin = (of: ResolvedEnvironment) => originOf(addressOf({ ...app, arguments: of.arguments }));
  if (origin(given) === origin(saved)) return null;
  const deciding = originVariables(
    addressOf(app),
    defaultsOf(sources.app.environment),
    sources.company,
    sources.template,
  );
  const moving = overridden.filter((key) => deciding.has(key));
  return `${moving.join(', ') || 'a value'} of this job takes its request, which carries secrets, to another address`;
}

/** Whether an attempt gets secrets that are not of the job itself. */
function carriesSecrets(
  { options }: AttemptOptions,
  { overrides, service }: EnvironmentSources,
  { secretVariables, environment }: ResolvedEnvironment,
): boolean {
  const isOwn = (key: string) => Object.hasOwn(overrides, key) || Object.hasOwn(service, key);
  return containsCiphertext(options) || [...secretVariables].some((key) => !isOwn(key) && environment[key] !== '');
}
