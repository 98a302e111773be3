import { denied, HorariumError } from '../errors.ts';
import type { Actor } from '../resource/actor.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import type { Store, Tables } from '../store/store.ts';
import { isAdmin } from '../user/permissions.ts';
import { createAuditKey, readAuditKey } from './audit-key.ts';
import { countEncrypted } from './count-encrypted.ts';
import { type EncryptedStore, encryptedTables } from './encrypted-tables.ts';
import { isRegistered, registeredKeys, registerKeys } from './registered-keys.ts';
import { type Rotation, type RotationProgress, rotateVault } from './rotate-vault.ts';
import type { Hmac, Vault } from './vault.ts';

/** Keeps the vault and the store together: that no key is missing, and that all can be encrypted with a newer one. */
export class KeyManager {
  readonly #sealed: EncryptedStore;
  #auditKey: Hmac | null = null;

  /** @param tables every table of the store. */
  constructor(store: Store, vault: Vault, tables: readonly TableDescription[]) {
    this.#sealed = { store, vault, places: encryptedTables(tables) };
  }

  /**
   * Looks whether the vault has every key that the store needs, and notes a newer one.
   * @throws HorariumError `unavailable` when one is missing, with how many records need it.
   */
  async check(): Promise<void> {
    const { store, vault } = this.#sealed;
    // Nearly always there is nothing to write, and who only wants to read need not wait for those who write.
    const keys = await this.#read(async (tables) =>
      (await isRegistered(tables, vault)) ? null : registeredKeys(tables),
    );
    if (keys === null) return;
    const missing = keys.filter((key) => !vault.fingerprints.includes(key));
    if (missing.length > 0) await this.#refuseNeeded(keys, missing);
    await store.transaction((tables) => registerKeys(tables, vault));
  }

  /** What signs the audit log, and what is kept of requests that may be sent again. */
  async auditKey(): Promise<Hmac> {
    if (this.#auditKey) return this.#auditKey;
    await this.check();
    return this.#read((tables) => this.auditKeyIn(tables));
  }

  /** The same inside a transaction of the caller's; a store that has none yet gets it there. */
  async auditKeyIn(tables: Tables): Promise<Hmac> {
    const { vault } = this.#sealed;
    if (this.#auditKey) return this.#auditKey;
    const key = await readAuditKey(tables, vault);
    if (key === null) {
      await createAuditKey(tables, vault);
      // Not remembered: the transaction may yet be lost.
      return vault.hmac((await readAuditKey(tables, vault)) as string);
    }
    this.#auditKey = vault.hmac(key);
    return this.#auditKey;
  }

  /** Encrypts everything anew with the newest key; see `rotateVault`. @throws HorariumError `denied`, `conflict`. */
  async rotate(actor: Actor, onProgress?: (progress: RotationProgress) => void): Promise<Rotation> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not rotate the vault: that takes the role admin.`);
    await this.check();
    return rotateVault(this.#sealed, onProgress);
  }

  async #refuseNeeded(keys: readonly string[], missing: readonly string[]): Promise<void> {
    const needed = await countEncrypted(this.#sealed, (id) => missing.some((key) => key.startsWith(id)));
    const count = Object.values(needed).reduce((sum, each) => sum + each, 0);
    const words = `${count} ${count === 1 ? 'record needs' : 'records need'} it (${listed(needed)})`;
    if (missing.length === keys.length)
      throw new HorariumError(
        'unavailable',
        `The vault key is not the one that the secrets in this store were encrypted with (fingerprint ${missing.join(' or ')}, not ${this.#sealed.vault.fingerprint})${count > 0 ? `; ${words}` : ''}. Give it in HORARIUM_VAULT_KEY, or put its key file back.`,
      );
    if (count === 0) return;
    throw new HorariumError(
      'unavailable',
      `The vault key with the fingerprint ${missing.join(' or ')} is missing, and ${words}. Give it behind the newest one in HORARIUM_VAULT_KEY or the key file, and run "horarium vault:rotate" before it is dropped.`,
    );
  }

  #read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#sealed.store.transaction(work, { readOnly: true });
  }
}

function listed(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).map(([kind, count]) => `${kind === 'Setting' ? 'audit key' : kind}: ${count}`);
  return words.join(', ');
}
