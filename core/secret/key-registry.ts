import { conflict, HorariumError } from '../errors.ts';
import { found } from '../store/read-rows.ts';
import { Setting, type SettingRow } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { Vault } from './vault.ts';

/**
 * The setting that holds the fingerprints of the keys that secrets in the store may be encrypted with, the latest
 * first.
 */
const keysName = 'vault fingerprint';
/**
 * The setting that holds the fingerprint of the only key that may encrypt, once a rotation has begun; null lets any key
 * encrypt.
 */
const targetName = 'vault rotation';

/** Returns the fingerprints of the keys that secrets in the store may be encrypted with, the latest first. */
export async function registeredKeys(tables: Tables): Promise<string[]> {
  return (await readSetting(tables, keysName))?.value?.split(',') ?? [];
}

/** Whether the store knows the vault's newest key and has an audit key, and the vault has all keys of the store. */
export async function isRegistered(tables: Tables, vault: Vault): Promise<boolean> {
  const keys = await registeredKeys(tables);
  if (!keys.includes(vault.fingerprint) || !keys.every((key) => vault.fingerprints.includes(key))) return false;
  return (await readSetting(tables, targetName)) !== undefined && (await readAuditKey(tables, vault)) !== null;
}

/**
 * Adds the vault's newest key to those of the store, and creates the settings that a store has once. A new key lifts
 * the restriction of the last rotation: until the next one begins, older keys may encrypt again.
 */
export async function registerKeys(tables: Tables, vault: Vault): Promise<void> {
  const table = tables.of(Setting);
  const settings = [{ name: keysName, value: vault.fingerprint }, { name: targetName }];
  await table.insertAbsent(
    settings.map((each) => newRow(Setting, each)),
    ['name'],
  );
  await createAuditKey(tables, vault);
  const row = found(await readSetting(tables, keysName, 'wait'), `setting ${keysName}`);
  const keys = row.value?.split(',') ?? [];
  if (keys.includes(vault.fingerprint)) return;
  await table.update([{ row, set: { value: [vault.fingerprint, ...keys].join() } }]);
  await table.updateWhere([['name', '=', targetName]], { value: null });
}

/** Makes the vault's newest key the only one that may encrypt. */
export async function beginRotation(tables: Tables, vault: Vault): Promise<void> {
  await tables.of(Setting).updateWhere([['name', '=', targetName]], { value: vault.fingerprint });
}

/** Removes all other keys from those of the store. @throws HorariumError `conflict`, as `assertTarget`. */
export async function endRotation(tables: Tables, vault: Vault): Promise<void> {
  const row = found(await readSetting(tables, keysName, 'wait'), `setting ${keysName}`);
  await assertTarget(tables, vault);
  await tables.of(Setting).update([{ row, set: { value: vault.fingerprint } }]);
}

/**
 * Checks that this rotation is still the latest, so that two hosts that rotate to different keys do not undo each
 * other's work for ever.
 * @throws HorariumError `conflict` when this rotation is not the latest, or a newer key was registered since it
 *   began.
 */
export async function assertTarget(tables: Tables, vault: Vault): Promise<void> {
  const target = (await readSetting(tables, targetName))?.value ?? null;
  if (target === vault.fingerprint) return;
  throw conflict(
    target === null
      ? 'A host was started with another newest vault key meanwhile: put the keys in one order on all of them, and rotate again.'
      : `Another host is encrypting everything with the key ${target} at this moment.`,
  );
}

/**
 * Checks that this host encrypts with the key of the last rotation; it must be called in the transaction of every
 * change that encrypts. A host that still encrypts with another key would leave secrets behind which nothing can
 * decrypt when that key is dropped. The setting stays locked until the change is committed, so that either the rotation
 * sees the change, or the change sees the rotation.
 * @throws HorariumError `unavailable` on such a host.
 */
export async function assertRotationKey(tables: Tables, vault: Vault): Promise<void> {
  const target = (await readSetting(tables, targetName, 'wait'))?.value ?? vault.fingerprint;
  if (target === vault.fingerprint) return;
  throw new HorariumError(
    'unavailable',
    `Secrets are encrypted with the vault key ${target} by now, and this host would use ${vault.fingerprint}: put the newer key first in its HORARIUM_VAULT_KEY or key file, and restart it.`,
  );
}

const auditKeyName = 'audit key';
/** The context under which the vault encrypts the audit key. */
export const auditKeyContext = `Setting ${auditKeyName}`;

/** Reads and decrypts the key that the audit log is sealed with; null in a store that has none yet. */
export async function readAuditKey(tables: Tables, vault: Vault): Promise<string | null> {
  const setting = await readSetting(tables, auditKeyName);
  return setting?.value ? vault.decrypt(setting.value, auditKeyContext) : null;
}

/**
 * Creates the audit key in a store that has none. It is derived from the oldest vault key, and from then on stored like
 * other secrets, so that sealed entries still verify after the vault keys were replaced.
 */
export async function createAuditKey(tables: Tables, vault: Vault): Promise<void> {
  const value = vault.encrypt(vault.signingKey('audit'), auditKeyContext);
  await tables.of(Setting).insertAbsent([newRow(Setting, { name: auditKeyName, value })], ['name']);
}

async function readSetting(tables: Tables, name: string, lock?: 'wait'): Promise<SettingRow | undefined> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]], ...(lock && { lock }) });
  return setting;
}
