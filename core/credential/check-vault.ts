import { HorariumError } from '../errors.ts';
import { Setting } from '../resource/setting.ts';
import type { Tables } from '../resource/store.ts';
import type { Vault } from './vault.ts';

const name = 'vault fingerprint';

/** Whether the store knows the vault's key as its own: then there is nothing to note. */
export async function isVaultNoted(tables: Tables, vault: Vault): Promise<boolean> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]] });
  return setting?.value === vault.fingerprint;
}

/**
 * Notes the fingerprint of the vault's key in a store that has none, and follows a newer key once one of the older
 * ones is the key that the store knows.
 * @throws HorariumError `unavailable` when the store was written under another key.
 */
export async function checkVault(tables: Tables, vault: Vault): Promise<void> {
  const table = tables.of(Setting);
  const [made] = await table.insertAbsent([{ name, value: vault.fingerprint }], ['name']);
  if (typeof made === 'number') return;
  const [setting] = await table.find({ where: [['name', '=', name]] });
  if (!setting || setting.value === vault.fingerprint) return;
  if (!vault.knows(setting.value ?? ''))
    throw new HorariumError(
      'unavailable',
      `The vault key is not the one that the secrets in this store were encrypted with (fingerprint ${setting.value}, not ${vault.fingerprint}). Give it in HORARIUM_VAULT_KEY, or put its key file back.`,
    );
  await table.update([{ row: setting, set: { value: vault.fingerprint } }]);
}
