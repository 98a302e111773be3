import { text } from '../field/fields.ts';
import type { ValuePath } from '../field/value-path.ts';
import { isPlainObject } from '../field/value-path.ts';
import { isCiphertext } from './ciphertext.ts';
import type { Vault } from './vault.ts';

/**
 * The field of a record that holds its cipher key. The secrets of a record are bound to a random name of the record,
 * because its id is not known before it is written; the field holds that name, encrypted under the id. A secret that is
 * copied to another record or another field therefore decrypts nowhere.
 */
export function cipherKeyField() {
  return text(1024, { hidden: true, unaudited: true });
}

/** The columns of a record that its cipher needs. */
export interface CipherRow {
  readonly id: number;
  readonly cipher_key: string | null;
}

/** Encrypts and decrypts the secrets of one record. */
export class RecordCipher {
  readonly #vault: Vault;
  readonly #resource: string;
  readonly #row: CipherRow | undefined;
  #key: string | undefined;

  /** @param row the stored record; if it is missing or has no secrets, the first encryption makes a new cipher key. */
  constructor(vault: Vault, resource: { readonly name: string }, row?: CipherRow | undefined) {
    this.#vault = vault;
    this.#resource = resource.name;
    this.#row = row;
  }

  encrypt(path: ValuePath, plain: string): string {
    return this.#vault.encrypt(plain, this.#context(path));
  }

  /** @throws HorariumError `unavailable` when it cannot be decrypted here. */
  decrypt(path: ValuePath, ciphertext: string): string {
    return this.#vault.decrypt(ciphertext, this.#context(path));
  }

  /** Returns the same data with every ciphertext in it decrypted. */
  decryptAll(path: ValuePath, value: unknown): unknown {
    return mapCiphertexts(path, value, (position, ciphertext) => this.decrypt(position, ciphertext));
  }

  /** Returns the same data with every ciphertext in it encrypted again, with the newest key. */
  reencryptAll(path: ValuePath, value: unknown): unknown {
    return mapCiphertexts(path, value, (position, ciphertext) =>
      this.encrypt(position, this.decrypt(position, ciphertext)),
    );
  }

  /** Encrypts the cipher key of a record that has one again, with the newest key of the vault. */
  reencryptCipherKey({ id, cipher_key }: { readonly id: number; readonly cipher_key: string }): string {
    const context = this.#keyContext(id);
    return this.#vault.encrypt(this.#vault.decrypt(cipher_key, context), context);
  }

  /**
   * Returns the value of the record's `cipher_key`, once its id is known; undefined when the row has that value
   * already.
   */
  cipherKeyFor(id: number): string | undefined {
    if (this.#key === undefined || this.#row?.cipher_key) return undefined;
    return this.#vault.encrypt(this.#key, this.#keyContext(id));
  }

  #context(path: ValuePath): string {
    this.#key ??= this.#row?.cipher_key
      ? this.#vault.decrypt(this.#row.cipher_key, this.#keyContext(this.#row.id))
      : crypto.randomUUID();
    return `${this.#resource} ${this.#key} ${JSON.stringify(path)}`;
  }

  #keyContext(id: number): string {
    return `${this.#resource} ${id}`;
  }
}

function mapCiphertexts(
  path: ValuePath,
  value: unknown,
  map: (path: ValuePath, ciphertext: string) => string,
): unknown {
  if (isCiphertext(value)) return map(path, value);
  if (Array.isArray(value)) return value.map((item, index) => mapCiphertexts([...path, index], item, map));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapCiphertexts([...path, key], item, map)]),
  );
}
