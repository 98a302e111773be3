import { resolve } from 'node:path';
import { serviceIds } from '../../service-ids.ts';
import { keyFile } from '../../store/open-vault.ts';
import { type Finding, ok } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Checks that the vault has every key that the secrets of the store need. */
export async function checkVaultKey(installation: Installation): Promise<Finding[]> {
  const vault = await (await installation.host()).get(serviceIds.vault);
  await (await installation.core()).forChannels.checkKeys({ readOnly: true });
  return [ok(`${await sourceOf(installation)} fits the store; its fingerprint is ${vault.fingerprint}`)];
}

async function sourceOf(installation: Installation): Promise<string> {
  const { config, effective } = await installation.settings();
  const source = effective.find(({ setting }) => setting.name === 'vault_key')?.source;
  if (source !== 'default') return `HORARIUM_VAULT_KEY (${source})`;
  return config.database_url.database.kind === 'memory' ? 'a throw-away key' : resolve(installation.io.folder, keyFile);
}
