import type { AppRow } from '../app/app.ts';
import type { ExitCode } from '../app/declarations.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import type { Attempt, OutputStream } from '../executor/executor.ts';
import type { JobRow } from '../job/job.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { ByteRedactor, redact as redactSecrets } from '../secret/redactor.ts';
import type { Vault } from '../secret/vault.ts';
import { found } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { Digests } from '../user/digests.ts';
import type { Claim } from './claim-jobs.ts';
import { type ResolvedEnvironment, resolveEnvironment } from './environment.ts';
import {
  decrypted,
  encryptedKeys,
  environmentSources,
  pingUrlVariable,
  type RelatedRecords,
  readRelatedRecords,
} from './environment-sources.ts';

export interface PreparationContext {
  readonly vault: Vault;
  readonly digests: Pick<Digests, 'random' | 'sha256'>;
  /** The address that a job sends its heartbeats to. */
  pingUrl(jobId: number, key: string): string;
}

/** The columns of a running job that show how it was started, secrets masked. */
export type StartedColumns = Pick<JobRow, 'command' | 'arguments' | 'environment' | 'app_version' | 'ping_key_hash'>;

/** All that is needed to start one attempt, to redact what it writes, and to decide its outcome. */
export interface PreparedAttempt {
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly columns: StartedColumns;
  readonly exitCodes: Readonly<Record<string, ExitCode>>;
  /** Why the attempt cannot start at all, such as a required variable without a value; null = it can. */
  readonly refusal: string | null;
  /** The address for its heartbeats. */
  readonly pingUrl: string;
  /** Masks the job's secrets in one text. */
  redact(text: string): string;
  /** Masks the job's secrets in a chunk of its output; called once with `last`, at the end of the stream. */
  redactOutput(stream: OutputStream, bytes: Uint8Array, last: boolean): Uint8Array;
}

/** Resolves what claimed jobs are started with, from their app, company, template and credentials as they are now. */
export async function prepareAttempts(
  tables: Tables,
  claims: readonly Claim[],
  context: PreparationContext,
): Promise<PreparedAttempt[]> {
  if (claims.length === 0) return [];
  const apps = [...new Set(claims.map(({ template }) => template.app_id))];
  const [records, declared] = await Promise.all([
    readRelatedRecords(tables, claims),
    declaredSecrets(tables, [['id', 'in', apps]]),
  ]);
  return claims.map((claim) => prepare(claim, records, declared, context));
}

function prepare(
  claim: Claim,
  records: RelatedRecords,
  declared: ReadonlySet<string>,
  { vault, digests, pingUrl }: PreparationContext,
): PreparedAttempt {
  const app = found(records.apps.get(claim.template.app_id), `App ${claim.template.app_id}`);
  const key = digests.random();
  const base = { claim, app, keyHash: digests.sha256(key) };
  try {
    const url = pingUrl(claim.job.id, key);
    const sources = environmentSources(claim, app, records, vault, url);
    const secretKeys = new Set([...declared, ...encryptedKeys(claim, app, records), pingUrlVariable]);
    const resolved = resolveEnvironment({ ...sources, secretKeys });
    const options = optionsOf(claim, vault);
    const secrets = [...resolved.secrets, ...secretOptionValues(options, claim.template.executor_options), key];
    return prepared({
      ...base,
      resolved: { ...resolved, secrets },
      options,
      url,
      refusal: resolved.missing ?? resolved.wrong,
    });
  } catch (error) {
    // A job whose secrets cannot be decrypted must not keep the others from starting.
    const refusal = `its environment could not be made: ${(error as Error).message}`;
    return prepared({ ...base, resolved: emptyEnvironment(app), options: {}, url: '', refusal });
  }
}

/** The template's options are for its own executor; a job that runs by another one has none. */
function optionsOf({ job, template }: Claim, vault: Vault): RunTemplateRow['executor_options'] {
  return job.executor === template.executor ? decrypted(vault, RunTemplate, template, 'executor_options') : {};
}

/** The values of the options that are stored encrypted: an executor may repeat what it was given. */
function secretOptionValues(
  options: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): string[] {
  const secret = Object.keys(options).filter((name) => isCiphertext(stored[name]));
  return secret.map((name) => String(options[name]));
}

function emptyEnvironment({ executable, arguments: args }: AppRow): ResolvedEnvironment {
  const none = { environment: {}, secretKeys: new Set<string>(), secrets: [], missing: null, wrong: null };
  return { ...none, executable, arguments: args };
}

interface Resolved {
  readonly claim: Claim;
  readonly app: AppRow;
  readonly resolved: ResolvedEnvironment;
  readonly options: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly keyHash: string;
  readonly refusal: string | null;
}

function prepared({ claim, app, resolved, options, url, keyHash, refusal }: Resolved): PreparedAttempt {
  const { environment, executable, secretKeys, secrets } = resolved;
  const redact = (text: string) => redactSecrets(text, secrets);
  const maskers = { stdout: new ByteRedactor(secrets), stderr: new ByteRedactor(secrets) };
  const masked = Object.entries(environment).map(([key, value]) => [key, secretKeys.has(key) ? mask : redact(value)]);
  return {
    claim,
    attempt: {
      jobId: claim.job.id,
      executable,
      arguments: resolved.arguments,
      stdin: app.stdin,
      environment,
      timeout: claim.template.timeout === null ? null : claim.template.timeout * 1000,
      options,
      resultFile: app.result_file,
      artifacts: app.artifacts.map(({ name, path, type }) => ({ name, path, type })),
    },
    columns: {
      command: redact(executable),
      arguments: resolved.arguments.map(redact),
      environment: Object.fromEntries(masked),
      app_version: app.version,
      ping_key_hash: keyHash,
    },
    exitCodes: app.exit_codes,
    refusal,
    pingUrl: url,
    redact,
    redactOutput: (stream, bytes, last) => (last ? maskers[stream].end() : maskers[stream].next(bytes)),
  };
}
