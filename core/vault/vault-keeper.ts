import type { Hmac } from '../audit/chain.ts';
import type { Vault } from '../credential/vault.ts';
import { denied, HorariumError } from '../errors.ts';
import type { Actor } from '../resource/actor.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import type { Store, Tables } from '../resource/store.ts';
import { isAdmin } from '../user/permissions.ts';
import { readAuditKey } from './audit-key.ts';
import { countSealed } from './count-sealed.ts';
import { isNoted, notedKeys, noteKeys } from './note-keys.ts';
import { type SealedStore, sealedPlaces } from './sealed-places.ts';
import { type Rotation, type RotationProgress, rotateVault } from './vault-rotation.ts';

/** Keeps the vault and the store together: that no key is missing, and that all can be encrypted with a newer one. */
export class VaultKeeper {
  readonly #sealed: SealedStore;
  #auditKey: Hmac | null = null;

  /** @param tables every table of the store. */
  constructor(store: Store, vault: Vault, tables: readonly TableDescription[]) {
    this.#sealed = { store, vault, places: sealedPlaces(tables) };
  }

  /**
   * Looks whether the vault has every key that the store needs, and notes a newer one.
   * @throws HorariumError `unavailable` when one is missing, with how many records need it.
   */
  async check(): Promise<void> {
    const { store, vault } = this.#sealed;
    // Nearly always there is nothing to write, and who only wants to read need not wait for those who write.
    const keys = await this.#read(async (tables) => ((await isNoted(tables, vault)) ? null : notedKeys(tables)));
    if (keys === null) return;
    const missing = keys.filter((key) => !vault.knows(key));
    if (missing.length > 0) await this.#refuseNeeded(keys, missing);
    await store.transaction((tables) => noteKeys(tables, vault));
  }

  /** What the audit log is sealed with. */
  async auditKey(): Promise<Hmac> {
    const read = () => this.#read((tables) => readAuditKey(tables, this.#sealed.vault));
    if (this.#auditKey) return this.#auditKey;
    let key = await read();
    if (key === null) {
      await this.check();
      key = await read();
    }
    this.#auditKey = this.#sealed.vault.hmac(key as string);
    return this.#auditKey;
  }

  /** Encrypts everything anew with the newest key; see `rotateVault`. @throws HorariumError `denied`, `conflict`. */
  async rotate(actor: Actor, onProgress?: (progress: RotationProgress) => void): Promise<Rotation> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not rotate the vault: that takes the role admin.`);
    await this.check();
    return rotateVault(this.#sealed, onProgress);
  }

  async #refuseNeeded(keys: readonly string[], missing: readonly string[]): Promise<void> {
    const needed = await countSealed(this.#sealed, (id) => missing.some((key) => key.startsWith(id)));
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
