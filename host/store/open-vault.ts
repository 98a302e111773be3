import { resolve } from 'node:path';
import { HorariumError, type Store, User, type Vault } from '@horarium/core';
import { createKeyFile, NodeVault, newVaultKey, readKeyFile } from '@horarium/core/node';
import type { Config } from '../config/settings.ts';

/** The path of the key file, which is read where no setting holds the keys. */
export const keyFile = 'var/vault.key';

export interface VaultOptions {
  readonly store: Store;
  /** The folder where the relative path of the key file starts. */
  readonly folder: string;
  /** Whether an empty store gets a new key. */
  readonly mayCreate: boolean;
}

/**
 * Opens a vault with the keys that secrets are encrypted with: those of the setting, of the key file, or, in an empty
 * store only, a new one in a new key file. A throw-away store gets a throw-away key. Those that may not create one need a key that
 * is there.
 * @throws HorariumError `unavailable` when they are missing or cannot be read or written, `invalid` when they are none.
 */
export async function openVault(config: Config, { store, folder, mayCreate }: VaultOptions): Promise<Vault> {
  const { vault_key } = config;
  if (vault_key) return vaultOf('HORARIUM_VAULT_KEY', vault_key.join(','));
  if (store.kind === 'memory' && mayCreate) return new NodeVault(newVaultKey());
  const file = resolve(folder, keyFile);
  const fileKeys = readKeyFile(file);
  if (fileKeys !== undefined) return vaultOf(`The vault's key file ${file}`, fileKeys);
  if (mayCreate && (await isEmpty(store))) return vaultOf(`The vault's key file ${file}`, createKeyFile(file));
  throw new HorariumError(
    'unavailable',
    `The key file ${file} is missing, and there are secrets that need it: put it back, start where it is, or give the key in HORARIUM_VAULT_KEY.`,
  );
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.transaction((tables) => tables.of(User).count([], 1), { readOnly: true })) === 0;
}

/** @throws HorariumError that names the source of the keys. */
function vaultOf(source: string, keys: string): Vault {
  try {
    return new NodeVault(keys);
  } catch (error) {
    if (!(error instanceof HorariumError)) throw error;
    throw new HorariumError(error.code, `${source} cannot be used: ${error.message}`);
  }
}
