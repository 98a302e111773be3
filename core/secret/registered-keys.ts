import { conflict } from '../errors.ts';
import { newRow } from '../store/new-row.ts';
import { Setting, type SettingRow } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { createAuditKey, readAuditKey } from './audit-key.ts';
import { rotationSetting } from './rotation-key.ts';
import type { Vault } from './vault.ts';

const name = 'vault fingerprint';

/** The fingerprints of the keys that something in the store may be encrypted with, the latest first. */
export async function registeredKeys(tables: Tables): Promise<string[]> {
  return (await keysSetting(tables))?.value?.split(',') ?? [];
}

/** Whether the store knows all that it must about the vault: then there is nothing to note. */
export async function isRegistered(tables: Tables, vault: Vault): Promise<boolean> {
  const keys = await registeredKeys(tables);
  const known = keys.includes(vault.fingerprint) && keys.every((key) => vault.fingerprints.includes(key));
  return known && (await isKept(tables, vault));
}

/**
 * Notes the vault's newest key beside those that are noted already, and makes what the store must have once. When a key
 * is new, older ones may be used beside it again, until the next rotation begins.
 */
export async function registerKeys(tables: Tables, vault: Vault): Promise<void> {
  const table = tables.of(Setting);
  const made = [{ name, value: vault.fingerprint }, { name: rotationSetting }];
  await table.insertAbsent(
    made.map((each) => newRow(Setting, each)),
    ['name'],
  );
  await createAuditKey(tables, vault);
  const row = (await keysSetting(tables, 'wait')) as SettingRow;
  const keys = row.value?.split(',') ?? [];
  if (keys.includes(vault.fingerprint)) return;
  await table.update([{ row, set: { value: [vault.fingerprint, ...keys].join() } }]);
  await table.updateWhere([['name', '=', rotationSetting]], { value: null });
}

/** From now on nothing may be encrypted with any other key. */
export async function beginRotation(tables: Tables, vault: Vault): Promise<void> {
  await tables.of(Setting).updateWhere([['name', '=', rotationSetting]], { value: vault.fingerprint });
}

/** Nothing is encrypted with any other key any more. @throws HorariumError `conflict`, as `refuseOtherTarget`. */
export async function endRotation(tables: Tables, vault: Vault): Promise<void> {
  const row = (await keysSetting(tables, 'wait')) as SettingRow;
  await refuseOtherTarget(tables, vault);
  await tables.of(Setting).update([{ row, set: { value: vault.fingerprint } }]);
}

/**
 * Two hosts that went for different keys would undo each other's work for ever.
 * @throws HorariumError `conflict` when this rotation is not the latest, or a newer key has come since it began.
 */
export async function refuseOtherTarget(tables: Tables, vault: Vault): Promise<void> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', rotationSetting]] });
  const target = setting?.value ?? null;
  if (target === vault.fingerprint) return;
  throw conflict(
    target === null
      ? 'A host was started with another newest vault key meanwhile: put the keys in one order on all of them, and rotate again.'
      : `Another host is encrypting everything with the key ${target} at this moment.`,
  );
}

async function isKept(tables: Tables, vault: Vault): Promise<boolean> {
  const rotation = await tables.of(Setting).count([['name', '=', rotationSetting]], 1);
  return rotation > 0 && (await readAuditKey(tables, vault)) !== null;
}

async function keysSetting(tables: Tables, lock?: 'wait'): Promise<SettingRow | undefined> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]], ...(lock && { lock }) });
  return setting;
}
