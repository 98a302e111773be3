import type { Vault } from '../credential/vault.ts';
import { newRow } from '../resource/new-row.ts';
import { Setting } from '../resource/setting.ts';
import type { Tables } from '../resource/store.ts';

const name = 'audit key';
/** What the key is sealed under. */
export const auditKeyContext = `Setting ${name}`;

/** The key that the audit log is sealed with, opened; null in a store that has none yet. */
export async function readAuditKey(tables: Tables, vault: Vault): Promise<string | null> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', name]] });
  return setting?.value ? vault.open(setting.value, auditKeyContext) : null;
}

/**
 * Makes that key in a store that has none. It is the one that the oldest vault key stands for, and from then on a
 * secret of the store like others: vault keys may come and go, and what was sealed with it still verifies.
 */
export async function keepAuditKey(tables: Tables, vault: Vault): Promise<void> {
  const value = vault.seal(vault.signingKey('audit'), auditKeyContext);
  await tables.of(Setting).insertAbsent([newRow(Setting, { name, value })], ['name']);
}
