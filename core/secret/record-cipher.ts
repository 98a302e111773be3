import { isPlainObject, text } from '../field/fields.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import { isCiphertext } from './ciphertext.ts';
import type { Vault } from './vault.ts';

/**
 * The field of a record that ties its secrets to it. They are sealed under a random name of the record, because its
 * id is not known before it is written; the field holds that name, sealed under the id. A secret that is copied to
 * another record or another field therefore opens nowhere.
 */
export function cipherKeyField() {
  return text(1024, { hidden: true, unaudited: true });
}

/** Seals and opens the secrets of one record. */
export class RecordCipher {
  readonly #vault: Vault;
  readonly #resource: string;
  readonly #row: { readonly id: number; readonly cipher_key: string | null } | undefined;
  #name: string | undefined;

  /** Without a row, or for one that has no secrets yet, a new name is made when it is first needed. */
  constructor(vault: Vault, resource: TableDescription, row?: { id: number; cipher_key: string | null } | undefined) {
    this.#vault = vault;
    this.#resource = resource.name;
    this.#row = row;
  }

  encrypt(path: ValuePath, plain: string): string {
    return this.#vault.encrypt(plain, this.#context(path));
  }

  /** @throws HorariumError `unavailable` when it cannot be opened here. */
  decrypt(path: ValuePath, sealed: string): string {
    return this.#vault.decrypt(sealed, this.#context(path));
  }

  /** The same data with every sealed value in it opened. */
  decryptAll(path: ValuePath, value: unknown): unknown {
    if (isCiphertext(value)) return this.decrypt(path, value);
    if (Array.isArray(value)) return value.map((item, index) => this.decryptAll([...path, index], item));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.decryptAll([...path, key], item)]));
  }

  /** The same data with every sealed value in it sealed anew, under the newest key. */
  reencryptAll(path: ValuePath, value: unknown): unknown {
    if (isCiphertext(value)) return this.encrypt(path, this.decrypt(path, value));
    if (Array.isArray(value)) return value.map((item, index) => this.reencryptAll([...path, index], item));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.reencryptAll([...path, key], item)]),
    );
  }

  /** What the seal field of a record that has one may hold in place of what it holds: the same, under the newest key. */
  reencryptCipherKey({ id, cipher_key }: { readonly id: number; readonly cipher_key: string }): string {
    const context = `${this.#resource} ${id}`;
    return this.#vault.encrypt(this.#vault.decrypt(cipher_key, context), context);
  }

  /** What the record's seal field must hold, once its id is known; undefined when it holds that already. */
  cipherKeyFor(id: number): string | undefined {
    if (this.#name === undefined || this.#row?.cipher_key) return undefined;
    return this.#vault.encrypt(this.#name, `${this.#resource} ${id}`);
  }

  #context(path: ValuePath): string {
    this.#name ??= this.#row?.cipher_key
      ? this.#vault.decrypt(this.#row.cipher_key, `${this.#resource} ${this.#row.id}`)
      : crypto.randomUUID();
    return `${this.#resource} ${this.#name} ${JSON.stringify(path)}`;
  }
}
