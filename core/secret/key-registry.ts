import { conflict, HorariumError } from '../errors.ts';
import { required } from '../store/rows.ts';
import { Setting, type SettingRow } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { Vault } from './vault.ts';

/** The setting with the fingerprints of the keys that encrypt secrets in the store: comma-separated, newest first. */
const fingerprintsSetting = 'vault fingerprint';
/** The setting with the fingerprint of the only key that may encrypt since the last rotation; null = any key may. */
const rotationSetting = 'vault rotation';
const auditKeySetting = 'audit key';
/** The context under which the vault encrypts the audit key. */
export const auditKeyContext = `Setting ${auditKeySetting}`;

/** Returns the fingerprints of the keys that encrypt secrets in the store, newest first. */
export async function registeredFingerprints(tables: Tables): Promise<string[]> {
  return parseFingerprints(await readSetting(tables, fingerprintsSetting));
}

/** Whether the vault has every registered key, and `registerVault` would change nothing. */
export async function isVaultRegistered(tables: Tables, vault: Vault): Promise<boolean> {
  const registered = await registeredFingerprints(tables);
  if (!registered.includes(vault.fingerprint)) return false;
  if (!registered.every((fingerprint) => vault.fingerprints.includes(fingerprint))) return false;
  return (await readSetting(tables, rotationSetting)) !== undefined && (await readAuditKey(tables, vault)) !== null;
}

/**
 * Registers the vault's newest key in the store, and creates the settings and the audit key of a new store. A newly
 * registered key ends the restriction of the last rotation: until the next one begins, any key may encrypt.
 */
export async function registerVault(tables: Tables, vault: Vault): Promise<void> {
  const table = tables.of(Setting);
  const settings = [{ name: fingerprintsSetting, value: vault.fingerprint }, { name: rotationSetting }];
  await table.insertAbsent(
    settings.map((setting) => newRow(Setting, setting)),
    ['name'],
  );
  await createAuditKey(tables, vault);
  const row = required(await readSetting(tables, fingerprintsSetting, 'wait'), `setting ${fingerprintsSetting}`);
  const registered = parseFingerprints(row);
  if (registered.includes(vault.fingerprint)) return;
  await table.update([{ row, set: { value: [vault.fingerprint, ...registered].join() } }]);
  await table.updateWhere([['name', '=', rotationSetting]], { value: null });
}

/**
 * Makes the vault's newest key the only one that may encrypt. Registers it as well, because the rotation of another host
 * may have unregistered it since this host started.
 */
export async function beginRotation(tables: Tables, vault: Vault): Promise<void> {
  await registerVault(tables, vault);
  await tables.of(Setting).updateWhere([['name', '=', rotationSetting]], { value: vault.fingerprint });
}

/** Unregisters every key but the vault's newest. @throws HorariumError `conflict`, as `assertLatestRotation`. */
export async function endRotation(tables: Tables, vault: Vault): Promise<void> {
  const row = required(await readSetting(tables, fingerprintsSetting, 'wait'), `setting ${fingerprintsSetting}`);
  await assertLatestRotation(tables, vault);
  await tables.of(Setting).update([{ row, set: { value: vault.fingerprint } }]);
}

/**
 * Checks that the store's last rotation is the one to this vault's newest key, so that two hosts that rotate to
 * different keys do not undo each other's work in an endless loop. It locks the setting until the transaction commits,
 * so that no other rotation begins before: that one would miss what this transaction encrypts, and this one unregister a
 * key that encrypts.
 * @throws HorariumError `conflict` when another host began a later rotation, or registered a new key since this one
 *   began.
 */
export async function assertLatestRotation(tables: Tables, vault: Vault): Promise<void> {
  const target = (await readSetting(tables, rotationSetting, 'wait'))?.value ?? null;
  if (target === vault.fingerprint) return;
  throw conflict(
    target === null
      ? 'A host with a different newest vault key was started during the rotation: list the keys in the same order on every host, and rotate again.'
      : `Another host is rotating the secrets to the vault key ${target}.`,
  );
}

/**
 * Checks that this host encrypts with the key of the last rotation. Every transaction that encrypts must call it,
 * because secrets that a host encrypts with an older key are lost when that key is removed. It locks the setting until
 * the transaction commits, so that either the rotation sees the change, or the change sees the rotation.
 * @throws HorariumError `unavailable` when the last rotation was to another key.
 */
export async function assertMayEncrypt(tables: Tables, vault: Vault): Promise<void> {
  const target = (await readSetting(tables, rotationSetting, 'wait'))?.value ?? vault.fingerprint;
  if (target === vault.fingerprint) return;
  throw new HorariumError(
    'unavailable',
    `Secrets were rotated to the vault key ${target}, but the newest key of this host is ${vault.fingerprint}: put the rotated key first in HORARIUM_VAULT_KEY or the key file, and restart the host.`,
  );
}

/**
 * Whether this host encrypts with the key of the last rotation, or there was none. Nothing is locked, so that this is
 * only for what is stored for a while: a rotation that begins at the same moment may miss it.
 */
export async function mayEncrypt(tables: Tables, vault: Vault): Promise<boolean> {
  const target = await tables.setting(rotationSetting);
  return target === null || target === vault.fingerprint;
}

/** Reads the key that the audit log is sealed with, encrypted by the vault; null in a store that has none yet. */
export async function readEncryptedAuditKey(tables: Tables): Promise<string | null> {
  return (await readSetting(tables, auditKeySetting))?.value || null;
}

/** Reads and decrypts the key that the audit log is sealed with; null in a store that has none yet. */
export async function readAuditKey(tables: Tables, vault: Vault): Promise<string | null> {
  const encrypted = await readEncryptedAuditKey(tables);
  return encrypted === null ? null : vault.decrypt(encrypted, auditKeyContext);
}

/**
 * Creates the audit key in a store that has none. It is derived from the oldest vault key, and from then on stored like
 * other secrets, so that sealed entries still verify after the vault keys were replaced.
 */
export async function createAuditKey(tables: Tables, vault: Vault): Promise<void> {
  const value = vault.encrypt(vault.signingKey('audit'), auditKeyContext);
  await tables.of(Setting).insertAbsent([newRow(Setting, { name: auditKeySetting, value })], ['name']);
}

function parseFingerprints(setting: SettingRow | undefined): string[] {
  return setting?.value?.split(',') ?? [];
}

async function readSetting(tables: Tables, name: string, lock?: 'wait'): Promise<SettingRow | undefined> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]], ...(lock && { lock }) });
  return setting;
}
