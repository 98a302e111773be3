import type { AppRow } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { isSecretField } from '../credential/credential-field.ts';
import type { CredentialTypeRow } from '../credential/credential-type.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import type { Reaction } from '../resource/define-resource.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { encryptRows, onNewSecretKeys } from '../secret/encrypt-rows.ts';
import { assertMayEncrypt } from '../secret/key-registry.ts';
import type { Vault } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import { eachPage, readByIds } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { encryptOverride } from './overrides.ts';

/** Encrypts the stored values of the variables that a change of an App declares secret, in every table that has them. */
export const encryptNewKeysOfApp: Reaction<AppRow> = (change, tables, service) => {
  const secretKeys = ({ environment }: AppRow) => secretVariables(environment);
  return onNewSecretKeys(change, secretKeys, async ({ id }) => {
    await encryptRows(Company, [], tables, service);
    await encryptRows(RunTemplate, [['app_id', '=', id]], tables, service);
    const templates = await tables.of(RunTemplate).find({ where: [['app_id', '=', id]], columns: ['id'] });
    await encryptPlainOverrides(tables, service.vault, [['runtemplate_id', 'in', templates.map((row) => row.id)]]);
  });
};

/** Encrypts the stored values of the fields that a change of a credential type declares secret, in every table. */
export const encryptNewKeysOfCredentialType: Reaction<CredentialTypeRow> = (change, tables, service) => {
  const secretKeys = ({ fields }: CredentialTypeRow) => fields.filter(isSecretField).map(({ keyword }) => keyword);
  return onNewSecretKeys(change, secretKeys, async ({ id }) => {
    await encryptRows(Credential, [['credential_type_id', '=', id]], tables, service);
    await encryptRows(Company, [], tables, service);
    await encryptRows(RunTemplate, [], tables, service);
    await encryptPlainOverrides(tables, service.vault, []);
  });
};

const batchSize = 500;

/**
 * Encrypts the plain one-off values of pending and running jobs, where their keys are secret now. Ended jobs stay
 * unchanged, as the audit log does: no retry copies their values any more.
 */
async function encryptPlainOverrides(tables: Tables, vault: Vault, jobs: Where<JobRow>): Promise<void> {
  const live: Where<JobRow> = [...jobs, ['state', 'in', ['scheduled', 'running']]];
  for await (const page of eachPage(tables.of(Job), { where: live, size: batchSize }))
    await encryptOverridesOf(tables, vault, page.filter(hasPlainOverrides));
}

function hasPlainOverrides({ overrides }: JobRow): boolean {
  return Object.values(overrides).some((value) => !isCiphertext(value));
}

/** Encrypts under the locks of the templates, which a retry that copies the values and a key rotation take as well. */
async function encryptOverridesOf(tables: Tables, vault: Vault, jobs: readonly JobRow[]): Promise<void> {
  const ids = jobs.map((job) => job.id);
  const templateIds = jobs.map((job) => job.runtemplate_id);
  await lockTemplates(tables, templateIds, 'wait');
  const templates = await readByIds(tables, RunTemplate, templateIds);
  const secretKeysByApp = new Map<unknown, ReadonlySet<string>>();
  for (const { app_id } of templates.values())
    if (!secretKeysByApp.has(app_id)) secretKeysByApp.set(app_id, await declaredSecrets(tables, [['id', '=', app_id]]));
  for (const job of (await readByIds(tables, Job, ids)).values()) {
    const secretKeys = secretKeysByApp.get(templates.get(job.runtemplate_id)?.app_id);
    const keys = Object.keys(job.overrides).filter((key) => secretKeys?.has(key) && !isCiphertext(job.overrides[key]));
    if (keys.length === 0) continue;
    await assertMayEncrypt(tables, vault);
    const encrypt = (key: string) => encryptOverride(vault, job.runtemplate_id, key, job.overrides[key] as string);
    const overrides = { ...job.overrides, ...Object.fromEntries(keys.map((key) => [key, encrypt(key)])) };
    const environment = { ...job.environment, ...Object.fromEntries(keys.map((key) => [key, mask])) };
    await tables.of(Job).update([{ row: job, set: { overrides, environment } }]);
  }
}
