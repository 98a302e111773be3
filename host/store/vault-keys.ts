import { HorariumError, type Store, User } from '@horarium/core';
import { makeKeyFile, readKeyFile } from '../../adapters/node/key-file.ts';
import { newVaultKey } from '../../adapters/node/vault.ts';
import type { Config } from '../config/settings.ts';

/** Relative to where the service was started. */
const file = 'var/vault.key';

/**
 * The keys that secrets are encrypted with: those of the setting, of the key file, or, in an empty store only, new
 * ones in a new key file. A store that is thrown away gets keys that are.
 * @throws HorariumError `unavailable` when they are missing or cannot be read or written.
 */
export async function vaultKeys({ vault_key, database_url }: Config, store: Store): Promise<string> {
  if (vault_key) return vault_key.join(',');
  if (database_url.kind === 'memory') return newVaultKey();
  const found = readKeyFile(file);
  if (found !== undefined) return found;
  const users = await store.transaction((tables) => tables.of(User).count([], 1), { readOnly: true });
  if (users === 0) return makeKeyFile(file);
  throw new HorariumError(
    'unavailable',
    `The key file ${file} is missing, and the store holds secrets that need it: put it back, start where it is, or give the key in HORARIUM_VAULT_KEY.`,
  );
}
