import { HorariumError } from '../errors.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import type { Vault } from './vault.ts';

/** The setting that holds the fingerprint of the key which everything is encrypted anew with; null = any may be used. */
export const rotationSetting = 'vault rotation';

/**
 * To be called in the transaction of every change that encrypts something. Once everything is being encrypted anew, a
 * host that still encrypts with another key would leave secrets behind which nobody can open when that key is dropped.
 * The setting stays locked until the change is committed, so that whoever rotates sees it or is seen by it.
 * @throws HorariumError `unavailable` on such a host.
 */
export async function assertRotationKey(tables: Tables, vault: Vault): Promise<void> {
  const where = [['name', '=', rotationSetting]] as const;
  const [setting] = await tables.of(Setting).find({ where, lock: 'wait' });
  const target = setting?.value ?? vault.fingerprint;
  if (target === vault.fingerprint) return;
  throw new HorariumError(
    'unavailable',
    `Secrets are encrypted with the vault key ${target} by now, and this host would use ${vault.fingerprint}: put the newer key first in its HORARIUM_VAULT_KEY or key file, and restart it.`,
  );
}
