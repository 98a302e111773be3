import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { CredentialType } from '../credential/credential-type.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import { decryptOverrides } from '../job/overrides.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { RecordCipher } from '../secret/record-cipher.ts';
import { ByteRedactor, redact } from '../secret/redactor.ts';
import type { Vault } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { formatInstant } from '../time/instant.ts';
import type { Digests } from '../user/digests.ts';
import type { Prepared } from '../worker/runner-options.ts';
import type { Claim } from './claim-jobs.ts';
import { encryptedKeys } from './encrypted-keys.ts';
import { type EnvironmentSources, type ResolvedEnvironment, resolveEnvironment } from './environment.ts';
import { type RelatedRecords, readRelatedRecords } from './related-records.ts';

export interface PreparationContext {
  readonly vault: Vault;
  readonly digests: Pick<Digests, 'random' | 'sha256'>;
  /** Where a job reports that it is alive. */
  pingUrl(jobId: number, key: string): string;
}

/** Where a job is told its heartbeat's address, which holds a key of its own. */
export const pingUrl = 'HORARIUM_PING_URL';

/** Resolves what claimed jobs are started with, as app, company, template and credentials are at this moment. */
export async function prepareAttempts(
  tables: Tables,
  claims: readonly Claim[],
  context: PreparationContext,
): Promise<Prepared[]> {
  const apps = [...new Set(claims.map(({ template }) => template.app_id))];
  const [records, declared] = await Promise.all([
    readRelatedRecords(tables, claims),
    declaredSecrets(tables, [['id', 'in', apps]]),
  ]);
  return claims.map((claim) => {
    const app = records.apps.get(claim.template.app_id) as AppRow;
    const key = context.digests.random();
    const hash = context.digests.sha256(key);
    try {
      const url = context.pingUrl(claim.job.id, key);
      const secretKeys = new Set([...declared, ...encryptedKeys(claim, app, records), pingUrl]);
      const sources = { ...sourcesOf(claim, app, records, context.vault, url), secretKeys };
      const options = optionsOf(claim, context.vault);
      const resolved = resolveEnvironment(sources);
      const secrets = [...resolved.secrets, ...secretsAmong(options, claim.template.executor_options), key];
      return prepared(claim, app, { ...resolved, secrets }, { options, hash });
    } catch (error) {
      // One job whose secrets cannot be opened must not keep the others from starting.
      const refusal = `its environment could not be made: ${(error as Error).message}`;
      return { ...prepared(claim, app, nothing(app), { options: {}, hash }), refusal };
    }
  });
}

function sourcesOf(
  { job, task, template }: Claim,
  app: AppRow,
  { companies, credentials, types }: RelatedRecords,
  vault: Vault,
  url: string,
): EnvironmentSources {
  const company = companies.get(job.company_id) as CompanyRow;
  return {
    app: { ...app, environment: opened(vault, App, app, 'environment') },
    company: opened(vault, Company, company, 'environment'),
    template: opened(vault, RunTemplate, template, 'environment'),
    credentials: template.credentials.flatMap((id) => {
      const row = credentials.get(id);
      if (!row) return [];
      const type = row.credential_type_id === null ? undefined : types.get(row.credential_type_id);
      const fields = type ? opened(vault, CredentialType, type, 'fields') : null;
      return [{ values: opened(vault, Credential, row, 'values'), fields }];
    }),
    overrides: decryptOverrides(vault, template.id, job.overrides),
    service: {
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
      [pingUrl]: url,
    },
  };
}

function opened<R extends { id: number; cipher_key: string | null }, K extends keyof R & string>(
  vault: Vault,
  description: TableDescription<R>,
  row: R,
  field: K,
): R[K] {
  return new RecordCipher(vault, description, row).decryptAll([field], row[field]) as R[K];
}

/** A template's options are for its own executor; a job that runs by another one has none. */
function optionsOf({ job, template }: Claim, vault: Vault): RunTemplateRow['executor_options'] {
  return job.executor === template.executor ? opened(vault, RunTemplate, template, 'executor_options') : {};
}

/** The options that are stored encrypted, opened: what an executor was given it may repeat. */
function secretsAmong(options: Readonly<Record<string, unknown>>, stored: Readonly<Record<string, unknown>>): string[] {
  const secret = Object.keys(options).filter((name) => isCiphertext(stored[name]));
  return secret.map((name) => String(options[name]));
}

function nothing(app: AppRow): ResolvedEnvironment {
  const none = { environment: {}, secretKeys: new Set<string>(), secrets: [], missing: null, wrong: null };
  return { ...none, executable: app.executable, arguments: app.arguments };
}

function prepared(
  claim: Claim,
  app: AppRow,
  resolved: ResolvedEnvironment,
  { options, hash }: { readonly options: Readonly<Record<string, unknown>>; readonly hash: string },
): Prepared {
  const { environment, executable, secretKeys, secrets } = resolved;
  const hideIn = (text: string) => redact(text, secrets);
  const maskers = { stdout: new ByteRedactor(secrets), stderr: new ByteRedactor(secrets) };
  const shownValues = Object.entries(environment).map(([key, value]) => [
    key,
    secretKeys.has(key) ? mask : hideIn(value),
  ]);
  return {
    claim,
    job: claim.job,
    refusal: resolved.missing ?? resolved.wrong,
    exitCodes: app.exit_codes,
    hideIn,
    hide: (stream, bytes, last) => (last ? maskers[stream].end() : maskers[stream].next(bytes)),
    shown: {
      command: hideIn(executable),
      arguments: resolved.arguments.map(hideIn),
      environment: Object.fromEntries(shownValues),
      app_version: app.version,
      ping_key_hash: hash,
    },
    attempt: {
      jobId: claim.job.id,
      executable,
      arguments: resolved.arguments,
      stdin: app.stdin,
      environment,
      timeout: claim.template.timeout === null ? null : claim.template.timeout * 1000,
      options,
      resultFile: app.result_file,
      artifacts: app.artifacts.map(({ name, path, type }) => ({ name, path, type: type ?? '' })),
    },
  };
}
