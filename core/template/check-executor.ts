import { App } from '../app/app.ts';
import { warnOfMissingProgramFor } from '../app/missing-program.ts';
import { Credential } from '../credential/credential.ts';
import { originVariables, savedOrigin } from '../executor/address.ts';
import {
  appColumns,
  executorRefusal,
  type RulingExecutor,
  type RunnableApp,
  rulingExecutor,
} from '../executor/allowed-executors.ts';
import { isStartedHere } from '../executor/executor.ts';
import { writePlacement } from '../executor/placement.ts';
import { pathText } from '../field/value-path.ts';
import { movedSecretErrors } from '../records/moved-secrets.ts';
import { keepStoredSecrets, type Options, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import type { ExecutorSchema } from '../resource/record-services.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';

interface ExecutorFields {
  readonly company_id: number;
  readonly app_id: number;
  readonly executor: string;
  executor_options: Options;
  readonly environment: Readonly<Record<string, string>>;
  readonly credentials: readonly number[];
  placement: string | null;
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
  const stored = before?.executor === row.executor ? before.executor_options : undefined;
  const withSecrets = keepStoredSecrets(executor.options, row.executor_options, stored);
  const owner = `the executor ${row.executor}`;
  row.executor_options = readOptions(['executor_options'], executor.options, withSecrets, owner, errors);
  row.placement = errors.length > 0 ? null : await checkAssignment(row, executor, context);
  const ruling = rulingExecutor(service.executors, row.executor, row.executor_options);
  const refusal = executorRefusal(service.executors, app, ruling.name);
  const isSame = before?.executor === row.executor && before.app_id === row.app_id;
  if (refusal !== null && isSame) tables.warn(`${refusal}: its jobs fail.`);
  else if (refusal !== null) errors.push({ field: 'executor', message: refusal });
  else if (!isSame) await warnOfMissingProgramFor(tables, service.executors, app, row.executor);
  if (before) await checkKeptSecrets(row, before, { app, executor, ruling }, context);
}

/**
 * Checks the executor that agents run the jobs by, and its options. They hold no secrets: the environment does.
 * @returns the placement of the jobs; null where workers of the service start them.
 */
async function checkAssignment(
  row: ExecutorFields,
  ofAgents: ExecutorSchema,
  { tables, service, errors }: Pick<CheckContext<ExecutorFields>, 'tables' | 'service' | 'errors'>,
): Promise<string | null> {
  if (!ofAgents.assignment) return null;
  const { options, ...placement } = ofAgents.assignment(row.executor_options);
  const { executor } = placement;
  const refusal = (await ofAgents.placementRefusal?.(tables, placement, row.company_id)) ?? null;
  if (refusal !== null) errors.push({ field: 'executor_options.pool', message: refusal });
  const schema = service.executors.get(executor);
  const path = ['executor_options', 'options'];
  if (!schema || !isStartedHere(schema)) {
    const names = [...service.executors].filter(([, each]) => isStartedHere(each)).map(([name]) => name);
    errors.push({ field: 'executor_options.executor', message: missingExtension('executor', executor, names) });
    return null;
  }
  const read = readOptions(path, schema.options, options, `the executor ${executor}`, errors);
  for (const secret of secretOptionPaths(path, schema.options).filter((each) => read[each.at(-1) as string] != null)) {
    const field = pathText(secret);
    errors.push({ field, message: `${field} is a secret: agents get it by the environment of a credential alone` });
  }
  row.executor_options = { ...row.executor_options, ...(Object.keys(read).length > 0 && { options: read }) };
  return writePlacement(placement);
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
  readonly ruling: RulingExecutor;
}

/** Lists the changed fields of a template that send the requests of its jobs to another origin. */
async function movers(
  tables: Tables,
  { environment, credentials }: ExecutorFields,
  before: Readonly<ExecutorFields>,
  { app, ruling }: ExecutorParts,
): Promise<string[]> {
  const url = ruling.schema?.addressOf?.(app);
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
