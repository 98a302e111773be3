import { HorariumError } from '../errors.ts';
import type { Tables } from '../store/store.ts';
import { encryptedPages, rowsEncryptedWith } from './encrypted-tables.ts';
import {
  createAuditKey,
  isVaultRegistered,
  readAuditKey,
  registeredFingerprints,
  registerVault,
} from './key-registry.ts';
import { type Rotation, type RotationContext, type RotationProgress, rotateVault } from './rotate-vault.ts';
import type { Hmac } from './vault.ts';

/** How the keys are checked. */
export interface KeyCheckOptions {
  /** Whether nothing is changed. @default false */
  readonly readOnly?: boolean;
  /** Whether the store is of an older version: nothing is changed, and the vault must have one of its keys. @default false */
  readonly unmigrated?: boolean;
}

/**
 * Keeps the keys of vault and store consistent: the vault has every key that the store needs, and a newer key can
 * replace all others.
 */
export class KeyManager {
  readonly #context: RotationContext;
  #auditKey: Hmac | null = null;

  constructor(context: RotationContext) {
    this.#context = context;
  }

  /**
   * Checks that the vault has every key that the store needs, and registers the vault's newest key.
   * @throws HorariumError `unavailable` when a key is missing, with how many records need it.
   */
  async check({ readOnly = false, unmigrated = false }: KeyCheckOptions = {}): Promise<void> {
    const { store, vault } = this.#context;
    if (unmigrated) return this.#checkUnmigrated();
    // Reads first, because there is nearly always nothing to write, and a process that only reads need not wait for
    // those that write.
    const registered = await this.#read(async (tables) => {
      if (!(await isVaultRegistered(tables, vault))) return registeredFingerprints(tables);
      // From here on this process can sign, also after a rotation to a key that it does not have.
      await this.auditKeyIn(tables);
      return null;
    });
    if (registered === null) return;
    const missing = registered.filter((fingerprint) => !vault.fingerprints.includes(fingerprint));
    if (missing.length > 0) await this.#assertNotNeeded(registered, missing);
    if (!readOnly) await store.transaction((tables) => registerVault(tables, vault));
  }

  /** Returns the key that signs and seals the audit log, and signs the requests that may be replayed. */
  async auditKey(): Promise<Hmac> {
    if (this.#auditKey) return this.#auditKey;
    await this.check();
    return this.#read((tables) => this.auditKeyIn(tables));
  }

  /** Returns the key in the caller's transaction, and creates it in a store that has none yet. */
  async auditKeyIn(tables: Tables): Promise<Hmac> {
    const { vault } = this.#context;
    if (this.#auditKey) return this.#auditKey;
    const key = await readAuditKey(tables, vault);
    if (key === null) {
      await createAuditKey(tables, vault);
      // The key is not cached, because the transaction may yet be rolled back.
      return vault.hmac((await readAuditKey(tables, vault)) as string);
    }
    this.#auditKey = vault.hmac(key);
    return this.#auditKey;
  }

  /** Encrypts every secret with the newest key, as `rotateVault` does. @throws HorariumError `conflict`. */
  async rotate(onProgress?: (progress: RotationProgress) => void): Promise<Rotation> {
    await this.check();
    return rotateVault(this.#context, onProgress);
  }

  /** Reads nothing but the registered fingerprints, because records of an older version have other columns. */
  async #checkUnmigrated(): Promise<void> {
    const { fingerprints, fingerprint } = this.#context.vault;
    const registered = await this.#read(registeredFingerprints);
    if (registered.length === 0 || registered.some((each) => fingerprints.includes(each))) return;
    throw wrongKey(registered, fingerprint);
  }

  async #assertNotNeeded(registered: readonly string[], missing: readonly string[]): Promise<void> {
    const countsByKind = await this.#countEncrypted((id) => missing.some((key) => key.startsWith(id)));
    const count = Object.values(countsByKind).reduce((sum, each) => sum + each, 0);
    const use = `${count} ${count === 1 ? 'record needs' : 'records need'} it (${describeCounts(countsByKind)})`;
    if (missing.length === registered.length)
      throw wrongKey(missing, this.#context.vault.fingerprint, count > 0 ? `; ${use}` : '');
    if (count === 0) return;
    throw new HorariumError(
      'unavailable',
      `The vault key with the fingerprint ${missing.join(' or ')} is missing, and ${use}. Give it behind the newest one in HORARIUM_VAULT_KEY or the key file, and run "horarium vault:rotate" before it is dropped.`,
    );
  }

  /** Counts the rows of each table that hold something encrypted with one of those keys; leaves out tables with none. */
  async #countEncrypted(isKey: (key: string) => boolean): Promise<Record<string, number>> {
    const { store, vault, tables } = this.#context;
    const counts: Record<string, number> = {};
    for await (const { encrypted, rows } of encryptedPages(store, tables)) {
      const { name } = encrypted.table;
      const count = rowsEncryptedWith(encrypted, vault, rows, isKey).length;
      if (count > 0) counts[name] = (counts[name] ?? 0) + count;
    }
    return counts;
  }

  #read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#context.store.transaction(work, { readOnly: true });
  }
}

function wrongKey(registered: readonly string[], own: string, use = ''): HorariumError {
  return new HorariumError(
    'unavailable',
    `The vault key is not the one that the secrets in this store were encrypted with (fingerprint ${registered.join(' or ')}, not ${own})${use}. Give it in HORARIUM_VAULT_KEY, or put its key file back.`,
  );
}

function describeCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${kind === 'Setting' ? 'audit key' : kind}: ${count}`)
    .join(', ');
}
