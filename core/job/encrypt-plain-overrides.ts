import { declaredSecrets } from '../credential/declared-secrets.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { assertRotationKey } from '../secret/rotation-key.ts';
import type { Vault } from '../secret/vault.ts';
import { readByIds } from '../store/read-by-ids.ts';
import type { Tables, Where } from '../store/store.ts';
import { lockTemplates } from '../template/lock-templates.ts';
import { RunTemplate } from '../template/run-template.ts';
import { Job, type JobRow } from './job.ts';
import { encryptOverride } from './overrides.ts';

const batch = 500;

/**
 * Encrypts the values that were given to single jobs in the clear, under keys that are secret by now. Of jobs that have
 * ended nothing is taken over by a retry any more; they keep what they said, as the audit log does.
 */
export async function encryptPlainOverrides(tables: Tables, vault: Vault, jobs: Where): Promise<void> {
  const live: Where = [...jobs, ['state', 'in', ['scheduled', 'running']]];
  const order = [['id', 'asc']] as const;
  for (let last = 0; ; ) {
    const found = await tables.of(Job).find({ where: [...live, ['id', '>', last]], order, limit: batch });
    await sealSome(tables, vault, found.filter(isGivenClear));
    if (found.length < batch) return;
    last = found.at(-1)?.id ?? last;
  }
}

function isGivenClear({ overrides }: JobRow): boolean {
  return Object.values(overrides).some((value) => !isCiphertext(value));
}

/** A retry takes values over and a rotation encrypts them anew: both hold the template's lock. */
async function sealSome(tables: Tables, vault: Vault, jobs: readonly JobRow[]): Promise<void> {
  const ids = jobs.map((job) => job.id);
  const templateIds = jobs.map((job) => job.runtemplate_id as number);
  await lockTemplates(tables, templateIds, 'wait');
  const templates = await readByIds(tables, RunTemplate, templateIds);
  const secretOf = new Map<unknown, ReadonlySet<string>>();
  for (const { app_id } of templates.values())
    if (!secretOf.has(app_id)) secretOf.set(app_id, await declaredSecrets(tables, [['id', '=', app_id]]));
  for (const job of (await readByIds(tables, Job, ids)).values()) {
    const secret = secretOf.get(templates.get(job.runtemplate_id as number)?.app_id);
    const keys = Object.keys(job.overrides).filter((key) => secret?.has(key) && !isCiphertext(job.overrides[key]));
    if (keys.length === 0) continue;
    await assertRotationKey(tables, vault);
    const sealed = (key: string) =>
      encryptOverride(vault, job.runtemplate_id as number, key, job.overrides[key] as string);
    const overrides = { ...job.overrides, ...Object.fromEntries(keys.map((key) => [key, sealed(key)])) };
    const environment = { ...job.environment, ...Object.fromEntries(keys.map((key) => [key, mask])) };
    await tables.of(Job).update([{ row: job, set: { overrides, environment } }]);
  }
}
