import { App } from '../app/app.ts';
import { warnOfMissingProgramFor } from '../app/missing-program.ts';
import { Credential } from '../credential/credential.ts';
import { originVariables, savedOrigin } from '../executor/address.ts';
import { appColumns, executorRefusal, type RunnableApp } from '../executor/allowed-executors.ts';
import { movedSecretErrors } from '../records/moved-secrets.ts';
import { keepStoredSecrets, type Options, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import type { ExecutorSchema } from '../resource/record-services.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';

interface ExecutorFields {
  readonly app_id: number;
  readonly executor: string;
  executor_options: Options;
  readonly environment: Readonly<Record<string, string>>;
  readonly credentials: readonly number[];
}

/**
 * Checks the executor of a template: a loaded plugin provides it, the App may be run with it, and it has these options.
 * Where another one was allowed when the template was saved, the actor is warned, so that anything else can still change.
 */
export async function checkExecutor(row: ExecutorFields, context: CheckContext<ExecutorFields>): Promise<void> {
  const { tables, before, service, errors } = context;
  const executor = service.executors.get(row.executor);
  if (!executor) {
    errors.push({ field: 'executor', message: missingExtension('executor', row.executor, service.executors.keys()) });
    return;
  }
  const [app] = await tables.of(App).find({ where: [['id', '=', row.app_id]], columns: appColumns });
  if (!app) return;
  const refusal = executorRefusal(service.executors, app, row.executor);
  const isSame = before?.executor === row.executor && before.app_id === row.app_id;
  if (refusal !== null && isSame) tables.warn(`${refusal}: its jobs fail.`);
  else if (refusal !== null) errors.push({ field: 'executor', message: refusal });
  else if (!isSame) await warnOfMissingProgramFor(tables, service.executors, app, row.executor);
  const stored = before?.executor === row.executor ? before.executor_options : undefined;
  const withSecrets = keepStoredSecrets(executor.options, row.executor_options, stored);
  const owner = `the executor ${row.executor}`;
  row.executor_options = readOptions(['executor_options'], executor.options, withSecrets, owner, errors);
  if (before) await checkKeptSecrets(row, before, { app, executor }, context);
}

/** Reports the secrets that a template keeps although its jobs send them elsewhere, or another App gets them. */
async function checkKeptSecrets(
  row: ExecutorFields,
  before: Readonly<ExecutorFields>,
  parts: ExecutorParts,
  { tables, errors }: Pick<CheckContext<ExecutorFields>, 'tables' | 'errors'>,
): Promise<void> {
  const variables = Object.keys(row.environment).map((key) => ['environment', key]);
  const options = secretOptionPaths(['executor_options'], parts.executor.options);
  const moved = before.app_id === row.app_id ? await movers(tables, row, before, parts) : ['app_id'];
  errors.push(...movedSecretErrors(row, variables, moved));
  errors.push(...movedSecretErrors(row, options, before.executor === row.executor ? moved : ['executor']));
}

interface ExecutorParts {
  readonly app: RunnableApp;
  readonly executor: ExecutorSchema;
}

/** Lists the changed fields of a template that send the requests of its jobs to another origin. */
async function movers(
  tables: Tables,
  { environment, credentials }: ExecutorFields,
  before: Readonly<ExecutorFields>,
  { app, executor }: ExecutorParts,
): Promise<string[]> {
  const url = executor.addressOf?.(app);
  if (url === undefined) return [];
  const deciding = originVariables(url, environment, before.environment);
  const isMoved = savedOrigin(url, environment) !== savedOrigin(url, before.environment);
  const changed = [...deciding].filter((key) => isMoved && environment[key] !== before.environment[key]);
  const added = credentials.filter((id) => deciding.size > 0 && !before.credentials.includes(id));
  const [decider] = [...(await readByIds(tables, Credential, added)).values()].filter(({ values }) =>
    Object.keys(values).some((key) => deciding.has(key)),
  );
  return [...changed.map((key) => `environment.${key}`), ...(decider ? ['credentials'] : [])];
}
