import type { AppRow } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { secretKeywords } from '../credential/credential-field.ts';
import type { CredentialTypeRow } from '../credential/credential-type.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
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

const batchSize = 500;

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
    await encryptOverridesOf(tables, vault, jobs.filter(hasPlainOverrides));
}

function hasPlainOverrides({ overrides }: JobRow): boolean {
  return Object.values(overrides).some((value) => !isCiphertext(value));
}

/** Encrypts under the locks of the templates, which a retry that copies overrides and a key rotation take as well. */
async function encryptOverridesOf(tables: Tables, vault: Vault, jobs: readonly JobRow[]): Promise<void> {
  const jobIds = jobs.map((job) => job.id);
  const templateIds = jobs.map((job) => job.runtemplate_id);
  await lockTemplates(tables, templateIds, 'wait');
  const templates = await readByIds(tables, RunTemplate, templateIds);
  const appIds = new Set([...templates.values()].map((template) => template.app_id));
  const secretsByApp = new Map<number | undefined, ReadonlySet<string>>();
  for (const id of appIds) secretsByApp.set(id, await declaredSecrets(tables, [['id', '=', id]]));
  // The jobs are read again under the locks: a retry or a rotation may have written them meanwhile.
  for (const job of (await readByIds(tables, Job, jobIds)).values()) {
    const secrets = secretsByApp.get(templates.get(job.runtemplate_id)?.app_id);
    const names = Object.keys(job.overrides).filter((name) => secrets?.has(name) && !isCiphertext(job.overrides[name]));
    if (names.length === 0) continue;
    await assertMayEncrypt(tables, vault);
    const encrypt = (name: string) => encryptOverride(vault, job.runtemplate_id, name, job.overrides[name] as string);
    const overrides = { ...job.overrides, ...Object.fromEntries(names.map((name) => [name, encrypt(name)])) };
    const environment = { ...job.environment, ...Object.fromEntries(names.map((name) => [name, mask])) };
    await tables.of(Job).update([{ row: job, set: { overrides, environment } }]);
  }
}
