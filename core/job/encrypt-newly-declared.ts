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
import { assertRotationKey } from '../secret/key-registry.ts';
import type { Vault } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import { eachPage, readByIds } from '../store/read-rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { encryptOverride } from './overrides.ts';

/** Encrypts what an App newly declares secret, wherever a value of its keys is stored. */
export const encryptNewKeysOfApp: Reaction<AppRow> = (change, tables, service) => {
  const secretKeys = ({ environment }: AppRow) => secretVariables(environment);
  return onNewSecretKeys(change, secretKeys, async ({ id }) => {
    await encryptRows(Company, [], tables, service);
    await encryptRows(RunTemplate, [['app_id', '=', id]], tables, service);
    const templates = await tables.of(RunTemplate).find({ where: [['app_id', '=', id]], columns: ['id'] });
    await encryptPlainOverrides(tables, service.vault, [['runtemplate_id', 'in', templates.map((row) => row.id)]]);
  });
};

/** Encrypts what a credential type newly declares secret, wherever a value of its keys is stored. */
export const encryptNewKeysOfCredentialType: Reaction<CredentialTypeRow> = (change, tables, service) => {
  const secretKeys = ({ fields }: CredentialTypeRow) => fields.filter(isSecretField).map(({ keyword }) => keyword);
  return onNewSecretKeys(change, secretKeys, async ({ id }) => {
    await encryptRows(Credential, [['credential_type_id', '=', id]], tables, service);
    await encryptRows(Company, [], tables, service);
    await encryptRows(RunTemplate, [], tables, service);
    await encryptPlainOverrides(tables, service.vault, []);
  });
};

const batch = 500;

/**
 * Encrypts the values that were given to single jobs in the clear, under keys that are secret by now. Jobs that have
 * ended keep what they say, as the audit log does: no retry takes it over any more.
 */
async function encryptPlainOverrides(tables: Tables, vault: Vault, jobs: Where<JobRow>): Promise<void> {
  const live: Where<JobRow> = [...jobs, ['state', 'in', ['scheduled', 'running']]];
  for await (const found of eachPage(tables.of(Job), { where: live, size: batch }))
    await encryptOverridesOf(tables, vault, found.filter(hasPlainOverrides));
}

function hasPlainOverrides({ overrides }: JobRow): boolean {
  return Object.values(overrides).some((value) => !isCiphertext(value));
}

/** Locks the templates, as a retry, which takes the values over, and a rotation of the vault do. */
async function encryptOverridesOf(tables: Tables, vault: Vault, jobs: readonly JobRow[]): Promise<void> {
  const ids = jobs.map((job) => job.id);
  const templateIds = jobs.map((job) => job.runtemplate_id);
  await lockTemplates(tables, templateIds, 'wait');
  const templates = await readByIds(tables, RunTemplate, templateIds);
  const secretsOf = new Map<unknown, ReadonlySet<string>>();
  for (const { app_id } of templates.values())
    if (!secretsOf.has(app_id)) secretsOf.set(app_id, await declaredSecrets(tables, [['id', '=', app_id]]));
  for (const job of (await readByIds(tables, Job, ids)).values()) {
    const secret = secretsOf.get(templates.get(job.runtemplate_id)?.app_id);
    const keys = Object.keys(job.overrides).filter((key) => secret?.has(key) && !isCiphertext(job.overrides[key]));
    if (keys.length === 0) continue;
    await assertRotationKey(tables, vault);
    const encrypted = (key: string) => encryptOverride(vault, job.runtemplate_id, key, job.overrides[key] as string);
    const overrides = { ...job.overrides, ...Object.fromEntries(keys.map((key) => [key, encrypted(key)])) };
    const environment = { ...job.environment, ...Object.fromEntries(keys.map((key) => [key, mask])) };
    await tables.of(Job).update([{ row: job, set: { overrides, environment } }]);
  }
}
