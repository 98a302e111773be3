import type { AppRow } from '../app/app.ts';
import { defaultsOf } from '../app/declarations.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { CredentialType } from '../credential/credential-type.ts';
import type { FieldError } from '../errors.ts';
import { originVariables } from '../executor/address.ts';
import type { RunnableApp } from '../executor/allowed-executors.ts';
import { rulingExecutor } from '../executor/allowed-executors.ts';
import type { ExecutorSchemas } from '../resource/record-services.ts';
import { containsCiphertext, isCiphertext } from '../secret/ciphertext.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { RunTemplateRow } from './run-template.ts';

/** The template of a job, and its App. */
export interface AddressOwner {
  readonly template: Pick<
    RunTemplateRow,
    'company_id' | 'executor' | 'executor_options' | 'environment' | 'credentials'
  >;
  readonly app: RunnableApp & Pick<AppRow, 'environment'>;
}

/** The names of the variables that are set for one job, or for the jobs of an event rule. */
export interface OwnValues {
  readonly keys: readonly string[];
  /** The field that sets them: `environment`. */
  readonly field: string;
  /** Of the job. @default that of the template */
  readonly executor?: string;
}

/**
 * Returns an error for each variable of one job, or of the jobs of an event, that decides where its request goes although
 * the request carries secrets of others. An attempt is refused for the same when it starts.
 */
export async function addressErrors(
  tables: Tables,
  executors: ExecutorSchemas,
  { template, app }: AddressOwner,
  { keys, field, executor = template.executor }: OwnValues,
): Promise<FieldError[]> {
  const options = executor === template.executor ? template.executor_options : {};
  const url = rulingExecutor(executors, executor, options).schema?.addressOf?.(app);
  if (url === undefined || keys.length === 0) return [];
  const [company] = await tables
    .of(Company)
    .find({ where: [['id', '=', template.company_id]], columns: ['environment'] });
  const layers = [defaultsOf(app.environment), company?.environment ?? {}, template.environment];
  const deciding = originVariables(url, ...layers);
  const moving = keys.filter((key) => deciding.has(key));
  if (moving.length === 0) return [];
  const given = [...layers, ...(await credentialLayers(tables, template))].flatMap(Object.entries);
  const isOwn = new Set(keys);
  const carriesSecrets =
    containsCiphertext(options) || given.some(([key, value]) => !isOwn.has(key) && isCiphertext(value));
  const reason = 'says where the request goes, which carries secrets, so that no job can have a value of its own';
  return carriesSecrets
    ? moving.map((key) => ({ field: `${field}.${key}`, message: `${field}.${key} ${reason}` }))
    : [];
}

/** Reads the values of the credentials of a template, and the defaults of their types. */
async function credentialLayers(
  tables: Tables,
  { credentials: ids }: Pick<RunTemplateRow, 'credentials'>,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const credentials = [...(await readByIds(tables, Credential, ids)).values()];
  const typeIds = credentials.flatMap(({ credential_type_id: id }) => id ?? []);
  const types = [...(await readByIds(tables, CredentialType, typeIds)).values()];
  const defaults = types.map(({ fields }) => Object.fromEntries(fields.map((field) => [field.keyword, field.default])));
  return [...credentials.map(({ values }) => values), ...defaults];
}
