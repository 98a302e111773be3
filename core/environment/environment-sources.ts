import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { Credential, type CredentialRow } from '../credential/credential.ts';
import { CredentialType, type CredentialTypeRow } from '../credential/credential-type.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import type { JobRow } from '../job/job.ts';
import { decryptOverrides, splitOverrides } from '../job/overrides.ts';
import { memoized } from '../registry/memoized.ts';
import { containsCiphertext } from '../secret/ciphertext.ts';
import { RecordCipher } from '../secret/record-cipher.ts';
import type { Vault } from '../secret/vault.ts';
import { readByIds, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import type { TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { formatInstant } from '../time/instant.ts';
import type { EnvironmentSources } from './environment.ts';

/** The variable with the URL for a job's heartbeats, which contains a key of that job. */
export const pingUrlVariable = 'HORARIUM_PING_URL';

/** The records of an attempt. */
export interface AttemptRecords {
  readonly job: JobRow;
  readonly task: TaskRow | null;
  readonly template: RunTemplateRow;
}

/** The records from which the environments of attempts are built, by their ids. */
export interface RelatedRecords {
  readonly apps: ReadonlyMap<number, AppRow>;
  readonly companies: ReadonlyMap<number, CompanyRow>;
  readonly credentials: ReadonlyMap<number, CredentialRow>;
  readonly types: ReadonlyMap<number, CredentialTypeRow>;
  /** The names of the variables that one of the apps, or any credential type, declares secret. */
  readonly declaredSecrets: ReadonlySet<string>;
}

export async function readRelatedRecords(tables: Tables, attempts: readonly AttemptRecords[]): Promise<RelatedRecords> {
  const ids = {
    apps: [...new Set(attempts.map(({ template }) => template.app_id))],
    companies: attempts.map(({ job }) => job.company_id),
    credentials: attempts.flatMap(({ template }) => template.credentials),
  };
  const [apps, companies, credentials, declared] = await Promise.all([
    readByIds(tables, App, ids.apps),
    readByIds(tables, Company, ids.companies),
    readByIds(tables, Credential, ids.credentials),
    declaredSecrets(tables, [['id', 'in', ids.apps]]),
  ]);
  const typeIds = [...credentials.values()].flatMap((credential) => credential.credential_type_id ?? []);
  const types = await readByIds(tables, CredentialType, typeIds);
  return { apps, companies, credentials, types, declaredSecrets: declared };
}

/**
 * Returns the layers of an attempt's environment with decrypted secrets.
 * @throws HorariumError `unavailable` when a secret cannot be decrypted.
 */
export function environmentSources(
  attempt: AttemptRecords,
  app: AppRow,
  records: RelatedRecords,
  vault: Vault,
  pingUrl: string,
): EnvironmentSources {
  const { job, task, template } = attempt;
  const company = required(records.companies.get(job.company_id), `Company ${job.company_id}`);
  const used = usedCredentials(template, records, vault);
  const declared = new Set([...Object.keys(app.environment), ...used.flatMap(({ fields }) => keywordsOf(fields))]);
  const overrides = splitOverrides(decryptOverrides(vault, template.id, job.overrides));
  const handedOn = <T>(layer: Readonly<Record<string, T>>) => picked(layer, (key) => declared.has(key));
  return {
    app: { ...app, environment: decryptField(vault, App, app, 'environment') },
    company: decryptValues(vault, Company, company, 'environment', handedOn(company.environment)),
    template: decryptValues(vault, RunTemplate, template, 'environment', handedOn(template.environment)),
    credentials: withoutOverridden(used).map(({ row, fields, values }) => ({
      values: decryptValues(vault, Credential, row, 'values', handedOn(values)),
      fields,
    })),
    overrides: overrides.given,
    service: {
      ...overrides.event,
      HORARIUM_JOB_ID: String(job.id),
      HORARIUM_RUNTEMPLATE_ID: String(template.id),
      HORARIUM_COMPANY_CODE: company.code,
      HORARIUM_ATTEMPT: String(task ? task.attempts + 1 : job.attempt),
      ...(task && {
        HORARIUM_TASK_ID: String(task.id),
        HORARIUM_WINDOW_START: formatInstant(task.window_start),
        HORARIUM_WINDOW_END: formatInstant(task.window_end),
        HORARIUM_DEADLINE: formatInstant(task.deadline),
      }),
      [pingUrlVariable]: pingUrl,
    },
    secretVariables: new Set([...records.declaredSecrets, ...encryptedKeys(attempt, app, records), pingUrlVariable]),
  };
}

/** A credential that a template lists, and the values that it sets. */
interface UsedCredential {
  readonly row: CredentialRow;
  /** Of its type; null without one. */
  readonly fields: CredentialTypeRow['fields'] | null;
  readonly values: CredentialRow['values'];
}

/** Reads the credentials of a template in their order, their values still encrypted. */
function usedCredentials(
  { credentials: ids }: AttemptRecords['template'],
  { credentials, types }: RelatedRecords,
  vault: Vault,
): UsedCredential[] {
  const fieldsOf = memoized((type: CredentialTypeRow) => decryptField(vault, CredentialType, type, 'fields'));
  return ids.flatMap((id) => {
    const row = credentials.get(id);
    if (!row) return [];
    const type = row.credential_type_id === null ? undefined : types.get(row.credential_type_id);
    return [{ row, fields: type ? fieldsOf(type) : null, values: row.values }];
  });
}

/** Leaves out the values that a later credential overrides, by a value of its own or a default of its type. */
function withoutOverridden(credentials: readonly UsedCredential[]): UsedCredential[] {
  const set = new Set<string>();
  const kept = credentials.toReversed().map((credential) => {
    const values = picked(credential.values, (key) => !set.has(key));
    const defaults = (credential.fields ?? []).filter((field) => (field.default ?? null) !== null);
    for (const { keyword } of defaults) set.add(keyword);
    for (const [key, value] of Object.entries(values)) if (value !== null) set.add(key);
    return { ...credential, values };
  });
  return kept.reverse();
}

function keywordsOf(fields: UsedCredential['fields']): string[] {
  return (fields ?? []).map(({ keyword }) => keyword);
}

function picked<T>(layer: Readonly<Record<string, T>>, isPicked: (key: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(layer).filter(([key]) => isPicked(key)));
}

/**
 * Returns these values of a field with the secrets among them decrypted, and no others: a company may have so many that
 * decrypting all of them for each attempt would take minutes. @throws HorariumError `unavailable`.
 */
function decryptValues<R extends { id: number; cipher_key: string | null }, K extends keyof R & string>(
  vault: Vault,
  description: TableDescription<R>,
  row: R,
  field: K,
  values: R[K],
): R[K] {
  return decryptField(vault, description, { ...row, [field]: values }, field);
}

/** Returns a field of a record with all secrets in it decrypted. @throws HorariumError `unavailable`. */
export function decryptField<R extends { id: number; cipher_key: string | null }, K extends keyof R & string>(
  vault: Vault,
  description: TableDescription<R>,
  row: R,
  field: K,
): R[K] {
  return new RecordCipher(vault, description, row).decryptAll([field], row[field]) as R[K];
}

/**
 * Lists the keys of a job's environment that any layer stores encrypted. Their values are secret even where neither the
 * job's App nor its credentials declare them so: another App of the company may, or a declaration may have changed.
 */
function encryptedKeys(
  { job, template }: AttemptRecords,
  app: AppRow,
  { companies, credentials, types }: RelatedRecords,
): string[] {
  const usedCredentials = template.credentials.flatMap((id) => credentials.get(id) ?? []);
  const fields = usedCredentials.flatMap(({ credential_type_id: id }) =>
    id === null ? [] : (types.get(id)?.fields ?? []),
  );
  const layers: readonly Readonly<Record<string, unknown>>[] = [
    app.environment,
    companies.get(job.company_id)?.environment ?? {},
    template.environment,
    job.overrides,
    ...usedCredentials.map(({ values }) => values),
  ];
  return [
    ...layers.flatMap((layer) => Object.keys(layer).filter((key) => containsCiphertext(layer[key]))),
    ...fields.filter(containsCiphertext).map(({ keyword }) => keyword),
  ];
}
