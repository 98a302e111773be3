import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { Vault } from './vault.ts';

const name = 'audit key';
/** The vault's context of that key. */
export const auditKeyContext = `Setting ${name}`;

/** Reads and decrypts the key that the audit log is sealed with; null in a store that has none yet. */
export async function readAuditKey(tables: Tables, vault: Vault): Promise<string | null> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]] });
  return setting?.value ? vault.decrypt(setting.value, auditKeyContext) : null;
}

/**
 * Makes the audit key in a store that has none. It is derived from the oldest vault key, and from then on a secret of
 * the store like others: vault keys may come and go, and what was sealed with it still verifies.
 */
export async function createAuditKey(tables: Tables, vault: Vault): Promise<void> {
  const value = vault.encrypt(vault.signingKey('audit'), auditKeyContext);
  await tables.of(Setting).insertAbsent([newRow(Setting, { name, value })], ['name']);
}
