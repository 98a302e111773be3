import type { AppRow } from '../app/app.ts';
import type { ExitCode } from '../app/declarations.ts';
import type { Attempt, OutputStream } from '../executor/executor.ts';
import type { JobRow } from '../job/job.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { ByteRedactor, redact as redactSecrets } from '../secret/redactor.ts';
import type { Vault } from '../secret/vault.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { Digests } from '../user/digests.ts';
import { type ResolvedEnvironment, resolveEnvironment } from './environment.ts';
import {
  decryptField,
  environmentSources,
  pingUrlVariable,
  type RelatedRecords,
  readRelatedRecords,
} from './environment-sources.ts';
import type { Claim } from './overlap.ts';

export interface PreparationContext {
  readonly vault: Vault;
  readonly digests: Pick<Digests, 'random' | 'sha256'>;
  /** Returns the URL to which a job sends its heartbeats. */
  pingUrl(jobId: number, key: string): string;
}

/** The columns of a running job that show how it was started, with masked secrets. */
export type StartedColumns = Pick<JobRow, 'command' | 'arguments' | 'environment' | 'app_version' | 'ping_key_hash'>;

/** A claimed job with what its executor starts, its redaction, and the exit codes that decide its outcome. */
export interface PreparedAttempt {
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly columns: StartedColumns;
  readonly exitCodes: Readonly<Record<string, ExitCode>>;
  /** The reason why the attempt cannot start, such as a required variable without a value; null = it can. */
  readonly refusal: string | null;
  /** The URL for its heartbeats. */
  readonly pingUrl: string;
  /** Masks the job's secrets in a text. */
  redact(text: string): string;
  /** Mask the job's secrets in its output, also those that are divided between two chunks. */
  readonly outputRedactors: Readonly<Record<OutputStream, ByteRedactor>>;
}

/** Prepares claimed jobs from the current versions of their app, company, template and credentials. */
export async function prepareAttempts(
  tables: Tables,
  claims: readonly Claim[],
  context: PreparationContext,
): Promise<PreparedAttempt[]> {
  if (claims.length === 0) return [];
  const records = await readRelatedRecords(tables, claims);
  return claims.map((claim) => prepare(claim, records, context));
}

function prepare(claim: Claim, records: RelatedRecords, context: PreparationContext): PreparedAttempt {
  const app = required(records.apps.get(claim.template.app_id), `App ${claim.template.app_id}`);
  const key = context.digests.random();
  const { resolved, options, refusal } = resolveAttempt(claim, app, records, key, context);
  const { environment, executable, secretVariables, secrets } = resolved;
  const redact = (text: string) => redactSecrets(text, secrets);
  const maskedEnvironment = Object.entries(environment).map(([name, value]) => [
    name,
    secretVariables.has(name) ? mask : redact(value),
  ]);
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
      environment: Object.fromEntries(maskedEnvironment),
      app_version: app.version,
      ping_key_hash: context.digests.sha256(key),
    },
    exitCodes: app.exit_codes,
    refusal,
    pingUrl: environment[pingUrlVariable] ?? '',
    redact,
    outputRedactors: { stdout: new ByteRedactor(secrets), stderr: new ByteRedactor(secrets) },
  };
}

/** The environment of an attempt, with all of its secrets, and its executor options. */
interface ResolvedAttempt {
  readonly resolved: ResolvedEnvironment;
  readonly options: Readonly<Record<string, unknown>>;
  readonly refusal: string | null;
}

/** Resolves an attempt. When it fails, only this job is refused: the others of the batch start. */
function resolveAttempt(
  claim: Claim,
  app: AppRow,
  records: RelatedRecords,
  key: string,
  { vault, pingUrl }: PreparationContext,
): ResolvedAttempt {
  try {
    const resolved = resolveEnvironment(environmentSources(claim, app, records, vault, pingUrl(claim.job.id, key)));
    const options = optionsOf(claim, vault);
    const secrets = [...resolved.secrets, ...secretOptionValues(options, claim.template.executor_options), key];
    return { resolved: { ...resolved, secrets }, options, refusal: resolved.missing ?? resolved.invalid };
  } catch (error) {
    const refusal = `its environment could not be resolved: ${(error as Error).message}`;
    return { resolved: emptyEnvironment(app), options: {}, refusal };
  }
}

/** Returns the executor options. Those of the template are for its own executor; a job with another one has none. */
function optionsOf({ job, template }: Claim, vault: Vault): RunTemplateRow['executor_options'] {
  return job.executor === template.executor ? decryptField(vault, RunTemplate, template, 'executor_options') : {};
}

/** Lists the values of secret options, which are masked as well because an executor may print its options. */
function secretOptionValues(
  options: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): string[] {
  const secret = Object.keys(options).filter((name) => isCiphertext(stored[name]));
  return secret.map((name) => String(options[name]));
}

function emptyEnvironment({ executable, arguments: args }: AppRow): ResolvedEnvironment {
  const empty = { environment: {}, secretVariables: new Set<string>(), secrets: [], missing: null, invalid: null };
  return { ...empty, executable, arguments: args };
}
