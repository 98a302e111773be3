import type { AppRow } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { secretKeywords } from '../credential/credential-field.ts';
import type { CredentialTypeRow } from '../credential/credential-type.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { encryptRows, onNewSecretVariables } from '../records/encrypt-rows.ts';
import type { Reaction } from '../resource/define-resource.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { assertMayEncrypt } from '../secret/key-registry.ts';
import type { Vault } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import { eachPage, type PageQuery, readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { encryptOverride } from './overrides.ts';

/** Whole rows are read, and each may hold 1 MiB. */
const batchSize = 100;

/** Encrypts the stored values of the variables that a change of an App declares secret, in every table that has them. */
export const encryptNewSecretsOfApp: Reaction<AppRow> = (change, tables, service) => {
  const secretVariablesOf = ({ environment }: AppRow) => secretVariables(environment);
  return onNewSecretVariables(change, secretVariablesOf, async ({ id }) => {
    await encryptRows(tables, service, Company);
    await encryptRows(tables, service, RunTemplate, [['app_id', '=', id]]);
    const templates = await tables.of(RunTemplate).find({ where: [['app_id', '=', id]], columns: ['id'] });
    await encryptOverridesOfLiveJobs(tables, service.vault, [['runtemplate_id', 'in', templates.map((row) => row.id)]]);
  });
};

/** Encrypts the overrides of a template's live jobs that the App it changes to declares secret. */
export const encryptNewSecretsOfTemplate: Reaction<RunTemplateRow> = async ({ before, after }, tables, { vault }) => {
  if (!before || !after || before.app_id === after.app_id) return;
  await encryptOverridesOfLiveJobs(tables, vault, [['runtemplate_id', '=', after.id]]);
};

/** Encrypts the stored values of the fields that a change of a credential type declares secret, in every table. */
export const encryptNewSecretsOfCredentialType: Reaction<CredentialTypeRow> = (change, tables, service) => {
  const secretVariablesOf = ({ fields }: CredentialTypeRow) => secretKeywords(fields);
  return onNewSecretVariables(change, secretVariablesOf, async ({ id }) => {
    await encryptRows(tables, service, Credential, [['credential_type_id', '=', id]]);
    await encryptRows(tables, service, Company);
    await encryptRows(tables, service, RunTemplate);
    await encryptOverridesOfLiveJobs(tables, service.vault, []);
  });
};

/**
 * Encrypts the secrets among the plain overrides of scheduled and running jobs. Ended jobs stay unchanged, as the audit log
 * does: no retry copies their overrides any more.
 */
async function encryptOverridesOfLiveJobs(tables: Tables, vault: Vault, of: Where<JobRow>): Promise<void> {
  const live: Where<JobRow> = [...of, ['state', 'in', ['scheduled', 'running']]];
  const read = (page: PageQuery<JobRow>) => tables.of(Job).find(page);
  for await (const jobs of eachPage(read, { where: live, size: batchSize }))
    await encryptOverridesOf(
      tables,
      vault,
      jobs.filter((job) => plainOverrides(job).length > 0),
    );
}

/** Returns the names of the overrides that are stored in the clear. */
function plainOverrides({ overrides }: JobRow): string[] {
  return Object.keys(overrides).filter((name) => !isCiphertext(overrides[name]));
}

/** Encrypts under the locks of the templates, which a retry that copies overrides and a key rotation take as well. */
async function encryptOverridesOf(tables: Tables, vault: Vault, jobs: readonly JobRow[]): Promise<void> {
  const templateIds = jobs.map((job) => job.runtemplate_id);
  await lockTemplates(tables, templateIds, 'wait');
  const secrets = await declaredSecretsByTemplate(tables, templateIds);
  const jobIds = jobs.map((job) => job.id);
  // The jobs are read again under the locks: a retry or a rotation may have written them meanwhile.
  for (const job of (await readByIds(tables, Job, jobIds)).values()) {
    await yieldToEventLoop();
    const names = plainOverrides(job).filter((name) => secrets.get(job.runtemplate_id)?.has(name));
    if (names.length === 0) continue;
    await assertMayEncrypt(tables, vault);
    await tables.of(Job).update([{ row: job, set: withEncrypted(vault, job, names) }]);
  }
}

/** Reads the names of the variables that are secret in the jobs of each template. */
async function declaredSecretsByTemplate(
  tables: Tables,
  templateIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const templates = await readByIds(tables, RunTemplate, templateIds);
  const secretsByApp = new Map<number, ReadonlySet<string>>();
  const secretsByTemplate = new Map<number, ReadonlySet<string>>();
  for (const { id, app_id } of templates.values()) {
    await yieldToEventLoop();
    const secrets = secretsByApp.get(app_id) ?? (await declaredSecrets(tables, [['id', '=', app_id]]));
    secretsByApp.set(app_id, secrets);
    secretsByTemplate.set(id, secrets);
  }
  return secretsByTemplate;
}

/** Returns the overrides of a job with the named ones encrypted, and the environment that shows them masked. */
function withEncrypted(
  vault: Vault,
  { runtemplate_id, overrides, environment }: JobRow,
  names: readonly string[],
): Pick<JobRow, 'overrides' | 'environment'> {
  const encrypt = (name: string) => encryptOverride(vault, runtemplate_id, name, overrides[name] as string);
  return {
    overrides: { ...overrides, ...Object.fromEntries(names.map((name) => [name, encrypt(name)])) },
    environment: { ...environment, ...Object.fromEntries(names.map((name) => [name, mask])) },
  };
}
