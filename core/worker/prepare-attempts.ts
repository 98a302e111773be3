import type { AppRow } from '../app/app.ts';
import type { ExitCode } from '../app/declarations.ts';
import {
  type EnvironmentSources,
  maskEnvironment,
  type ResolvedEnvironment,
  resolveEnvironment,
} from '../environment/environment.ts';
import {
  decryptField,
  environmentSources,
  pingUrlVariable,
  type RelatedRecords,
  readRelatedRecords,
} from '../environment/environment-sources.ts';
import { executionRefusal } from '../environment/execution-refusal.ts';
import type { Attempt, GivenFile } from '../executor/executor.ts';
import { type AttemptOptions, attemptOptions } from '../executor/restrictions.ts';
import { encryptGivenSecrets } from '../job/given-secrets.ts';
import type { JobRow } from '../job/job.ts';
import { type SyncTimer, untimed } from '../loop/event-loop-watch.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { ExecutorSchemas } from '../resource/record-services.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { mayEncrypt } from '../secret/key-registry.ts';
import { excessOfSecrets } from '../secret/secrets-size.ts';
import { isTooShortToMask } from '../secret/short-secrets.ts';
import type { Vault } from '../secret/vault.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { Digests } from '../user/digests.ts';
import type { Claim } from './overlap.ts';

export interface PreparationContext {
  readonly vault: Vault;
  readonly digests: Pick<Digests, 'random' | 'sha256'>;
  readonly executorSchemas: ExecutorSchemas;
  /** Returns the URL to which a job sends its heartbeats. */
  pingUrl(jobId: number, key: string): string;
  /** Reads the content of an artifact, once the attempt is started. @default attempts are given no files */
  readFile?(artifact: { readonly id: number; readonly size: number }): AsyncIterable<Uint8Array>;
  /** Times the preparation of each attempt. @default not timed */
  readonly timed?: SyncTimer;
}

/** The columns of a running job that show how it was started, with masked secrets. */
export type StartedColumns = Pick<
  JobRow,
  'command' | 'arguments' | 'environment' | 'app_version' | 'given_secrets' | 'ping_key_hash'
>;

/** A claimed job with what its executor starts, its redaction, and the exit codes that decide its outcome. */
export interface PreparedAttempt {
  readonly claim: Claim;
  readonly attempt: Attempt;
  readonly columns: StartedColumns;
  readonly exitCodes: Readonly<Record<string, ExitCode>>;
  /** The reason why the attempt cannot start, such as a required variable without a value; null = it can. */
  readonly refusal: string | null;
  /** Whether another attempt would fail as well, so that its refusal ends the Task. */
  readonly isFinal: boolean;
  /** The URL for its heartbeats. */
  readonly pingUrl: string;
  /** Masks what the attempt was given: its secrets, and the key of its heartbeats. */
  readonly redactor: Redactor;
}

export interface PreparationOptions {
  /** Whether the attempts are given their secrets; those that external workers do are not. @default true */
  readonly withSecrets?: boolean;
  /**
   * Whether the key of the heartbeats is stored as well, encrypted, because other processes mask what the attempt reports.
   * @default false where it is given secrets
   */
  readonly keepsKey?: boolean;
}

/** How many workers may die while they prepare a reserved job; then it fails. */
const maxDeaths = 3;

/**
 * Prepares claimed jobs from the current versions of their app, company, template and credentials. A job over which too
 * many workers died is refused, without a look at what it would be given.
 */
export async function prepareAttempts(
  tables: Tables,
  claims: readonly Claim[],
  context: PreparationContext,
  { withSecrets = true, keepsKey = !withSecrets }: PreparationOptions = {},
): Promise<PreparedAttempt[]> {
  if (claims.length === 0) return [];
  const [records, isKeyCurrent] = await Promise.all([
    readRelatedRecords(tables, claims.filter(isPreparable)),
    mayEncrypt(tables, context.vault),
  ]);
  const options = { withSecrets, keepsKey, isKeyCurrent };
  const prepared: PreparedAttempt[] = [];
  for (const claim of claims) {
    await yieldToEventLoop();
    prepared.push(isPreparable(claim) ? await prepare(claim, records, context, options) : refuseFatal(claim));
  }
  return prepared;
}

function isPreparable({ job }: Claim): boolean {
  return job.claims <= maxDeaths;
}

/** Refuses a job over which its workers died. Nothing that it would be given is read, because that may be the cause. */
function refuseFatal(claim: Claim): PreparedAttempt {
  const { id: jobId, environment } = claim.job;
  const attempt = {
    jobId,
    executable: '',
    arguments: [],
    stdin: null,
    environment: {},
    timeout: null,
    options: {},
    runAs: null,
  };
  const nothing = { command: null, arguments: [], app_version: null, given_secrets: null, ping_key_hash: null };
  return {
    claim,
    attempt: { ...attempt, image: null, resultFile: null, artifacts: [] },
    columns: { ...nothing, environment },
    exitCodes: {},
    refusal: `${maxDeaths} workers died while they prepared it alone`,
    isFinal: true,
    pingUrl: '',
    redactor: new Redactor([]),
  };
}

async function prepare(
  claim: Claim,
  records: RelatedRecords,
  context: PreparationContext,
  { withSecrets, keepsKey, isKeyCurrent }: Required<PreparationOptions> & { readonly isKeyCurrent: boolean },
): Promise<PreparedAttempt> {
  const app = required(records.apps.get(claim.template.app_id), `App ${claim.template.app_id}`);
  const key = context.digests.random();
  const { timed = untimed } = context;
  const resolved = timed('preparation of an attempt', () => resolveAttempt(claim, app, records, key, context));
  const { environment, executable, arguments: args } = resolved.given;
  const redactor = new Redactor([...resolved.secrets, key]);
  const given = [...(withSecrets ? resolved.secrets : []), ...(keepsKey ? [key] : [])];
  return {
    claim,
    attempt: {
      jobId: claim.job.id,
      executable,
      arguments: args,
      stdin: app.stdin,
      environment,
      timeout: claim.template.timeout === null ? null : claim.template.timeout * 1000,
      options: resolved.options,
      runAs: required(records.companies.get(claim.job.company_id), `Company ${claim.job.company_id}`).run_as,
      files: filesOf(claim.job, context),
      image: app.oci_image,
      resultFile: app.result_file,
      artifacts: app.artifacts.map(({ name, path, type }) => ({ name, path, type })),
    },
    columns: {
      ...(await shownColumns(resolved, redactor, withSecrets)),
      app_version: app.version,
      given_secrets: encryptGivenSecrets(context.vault, claim.job.id, given, isKeyCurrent),
      ping_key_hash: context.digests.sha256(key),
    },
    exitCodes: app.exit_codes,
    refusal: (await redactor.redact(resolved.refusal ?? filesRefusal(claim.job, context) ?? '')) || null,
    isFinal: false,
    pingUrl: environment[pingUrlVariable] ?? '',
    redactor,
  };
}

function filesOf({ input_files }: JobRow, { readFile }: PreparationContext): readonly GivenFile[] {
  if (!input_files || !readFile) return [];
  return input_files.map(({ artifact_id: id, size, mark }) => ({ mark, content: () => readFile({ id, size }) }));
}

function filesRefusal({ input_files }: JobRow, { readFile }: PreparationContext): string | null {
  return input_files && !readFile ? 'it is given files, which only workers of the service hand over' : null;
}

/** The environment of an attempt, with all of its secrets, and its executor options. */
interface ResolvedAttempt {
  readonly given: Pick<ResolvedEnvironment, 'environment' | 'executable' | 'arguments'>;
  /** Null if the environment could not be resolved. */
  readonly resolution: { readonly sources: EnvironmentSources; readonly secretVariables: ReadonlySet<string> } | null;
  /** The values to mask, but for the key of its heartbeats. */
  readonly secrets: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly refusal: string | null;
}

/** Resolves an attempt. If that fails, only this job is refused; the other jobs of the batch start. */
function resolveAttempt(
  claim: Claim,
  app: AppRow,
  records: RelatedRecords,
  key: string,
  { vault, pingUrl, executorSchemas }: PreparationContext,
): ResolvedAttempt {
  try {
    const sources = environmentSources(claim, app, records, vault, pingUrl(claim.job.id, key));
    const given = resolveEnvironment(sources);
    const run = attemptOptions(executorSchemas, claim.template, claim.job.executor);
    const execution = { app, executor: claim.job.executor, run, sources, given };
    const options = optionsOf(claim, run, vault);
    const secrets = [...given.secrets, ...secretOptionValues(options, claim.template.executor_options)];
    const excess = excessOfSecrets(secrets);
    if (excess !== null) throw new Error(excess);
    const resolution = { sources, secretVariables: given.secretVariables };
    const refusal = executionRefusal(executorSchemas, execution) ?? given.missing ?? given.invalid;
    return { given, resolution, secrets, options, refusal };
  } catch (error) {
    const refusal = `its environment could not be resolved: ${(error as Error).message}`;
    const given = { environment: {}, executable: app.executable, arguments: app.arguments };
    return { given, resolution: null, secrets: [], options: {}, refusal };
  }
}

/** Returns how a job shows its command, its arguments and its environment. */
async function shownColumns(
  { given, resolution, secrets }: ResolvedAttempt,
  redactor: Redactor,
  withSecrets: boolean,
): Promise<Pick<StartedColumns, 'command' | 'arguments' | 'environment'>> {
  const redact = async (text: string) => (secrets.length === 0 ? text : redactor.redact(text));
  if (resolution && !withSecrets) {
    const masked = await maskEnvironment(resolution.sources, resolution.secretVariables, redact);
    return { command: masked.executable, arguments: [...masked.arguments], environment: masked.environment };
  }
  const args: string[] = [];
  for (const element of given.arguments) args.push(await redact(element));
  const environment: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries(given.environment))
    environment.push([name, resolution?.secretVariables.has(name) ? mask : await redact(value)]);
  return { command: await redact(given.executable), arguments: args, environment: Object.fromEntries(environment) };
}

/** Returns the options of an attempt with the secrets among them decrypted. */
function optionsOf({ template }: Claim, { options }: AttemptOptions, vault: Vault): AttemptOptions['options'] {
  return decryptField(vault, RunTemplate, { ...template, executor_options: options }, 'executor_options');
}

/** Lists the values of secret options, which are masked as well because an executor may print its options. */
function secretOptionValues(
  options: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): string[] {
  const secret = Object.keys(options).filter((name) => isCiphertext(stored[name]));
  return secret.map((name) => String(options[name])).filter((value) => !isTooShortToMask(value));
}
