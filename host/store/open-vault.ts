import { HorariumError, type Store, User, type Vault } from '@horarium/core';
import { makeKeyFile, readKeyFile } from '../../adapters/node/key-file.ts';
import { NodeVault, newVaultKey } from '../../adapters/node/vault.ts';
import type { Config } from '../config/settings.ts';

/** Relative to where the service was started. */
const file = 'var/vault.key';

/**
 * A vault with the keys that secrets are encrypted with: those of the setting, of the key file, or, in an empty store
 * only, a new one in a new key file. A store that is thrown away gets a key that is.
 * @throws HorariumError `unavailable` when they are missing or cannot be read or written, `invalid` when they are none.
 */
export async function openVault({ vault_key, database_url }: Config, store: Store): Promise<Vault> {
  if (vault_key) return new NodeVault(vault_key.join(','));
  if (database_url.kind === 'memory') return new NodeVault(newVaultKey());
  const found = readKeyFile(file);
  if (found !== undefined) return fromFile(found);
  const users = await store.transaction((tables) => tables.of(User).count([], 1), { readOnly: true });
  if (users === 0) return fromFile(makeKeyFile(file));
  throw new HorariumError(
    'unavailable',
    `The key file ${file} is missing, and the store holds secrets that need it: put it back, start where it is, or give the key in HORARIUM_VAULT_KEY.`,
  );
}

function fromFile(keys: string): Vault {
  try {
    return new NodeVault(keys);
  } catch (error) {
    if (!(error instanceof HorariumError)) throw error;
    throw new HorariumError(error.code, `The vault's key file ${file} cannot be used: ${error.message}`);
  }
}
