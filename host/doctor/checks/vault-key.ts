import { resolve } from 'node:path';
import { serviceIds } from '../../service-ids.ts';
import { OutdatedStore } from '../../store/open-store.ts';
import { keyFile } from '../../store/open-vault.ts';
import { checkKeysBeforeMigration } from '../../store/prepare-store.ts';
import { type Finding, ok } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Checks that the vault has every key that the secrets of the store need. */
export async function checkVaultKey(installation: Installation): Promise<Finding[]> {
  const vault = await (await installation.host()).get(serviceIds.vault);
  await (await installation.core()).forChannels.checkKeys({ readOnly: true });
  return [ok(`${await sourceOf(installation)} fits the store; its fingerprint is ${vault.fingerprint}`)];
}

/**
 * Checks, of a store that an older version has made, that the key is at hand without which it must not be migrated.
 * @returns null where there is no such store.
 */
export async function checkVaultKeyBeforeMigration(installation: Installation): Promise<Finding[] | null> {
  if (!(await isOutdated(installation))) return null;
  await using host = await installation.unreadyHost();
  const vault = await host.get(serviceIds.vault);
  await checkKeysBeforeMigration(host);
  return [ok(`${await sourceOf(installation)} fits the store; its fingerprint is ${vault.fingerprint}`)];
}

async function isOutdated(installation: Installation): Promise<boolean> {
  try {
    await (await installation.host()).get(serviceIds.store);
    return false;
  } catch (error) {
    // Any other failure is that of an earlier check.
    return error instanceof OutdatedStore;
  }
}

async function sourceOf(installation: Installation): Promise<string> {
  const { config, effective } = await installation.settings();
  const source = effective.find(({ setting }) => setting.name === 'vault_key')?.source;
  if (source !== 'default') return `HORARIUM_VAULT_KEY (${source})`;
  return config.database_url.database.kind === 'memory' ? 'a throw-away key' : resolve(installation.io.folder, keyFile);
}
