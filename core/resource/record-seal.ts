import type { TableDescription } from './define-resource.ts';
import { isPlainObject, text } from './fields.ts';
import { isSealed } from './mask.ts';
import type { SecretVault } from './surroundings.ts';

/** Where a value is inside a record: `['environment', 'API_KEY']`. */
export type ValuePath = readonly (string | number)[];

/**
 * The field of a record that ties its secrets to it. They are sealed under a random name of the record, because its
 * id is not known before it is written; the field holds that name, sealed under the id. A secret that is copied to
 * another record or another field therefore opens nowhere.
 */
export function sealField() {
  return text(1024, { hidden: true, unaudited: true });
}

/** Seals and opens the secrets of one record. */
export class RecordSeal {
  readonly #vault: SecretVault;
  readonly #resource: string;
  readonly #row: { readonly id: number; readonly seal: string | null } | undefined;
  #name: string | undefined;

  /** Without a row, or for one that has no secrets yet, a new name is made when it is first needed. */
  constructor(vault: SecretVault, resource: TableDescription, row?: { id: number; seal: string | null } | undefined) {
    this.#vault = vault;
    this.#resource = resource.name;
    this.#row = row;
  }

  seal(path: ValuePath, plain: string): string {
    return this.#vault.seal(plain, this.#context(path));
  }

  /** @throws HorariumError `unavailable` when it cannot be opened here. */
  open(path: ValuePath, sealed: string): string {
    return this.#vault.open(sealed, this.#context(path));
  }

  /** The same data with every sealed value in it opened. */
  openAll(path: ValuePath, value: unknown): unknown {
    if (isSealed(value)) return this.open(path, value);
    if (Array.isArray(value)) return value.map((item, index) => this.openAll([...path, index], item));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.openAll([...path, key], item)]));
  }

  /** The same data with every sealed value in it sealed anew, under the newest key. */
  sealAllAgain(path: ValuePath, value: unknown): unknown {
    if (isSealed(value)) return this.seal(path, this.open(path, value));
    if (Array.isArray(value)) return value.map((item, index) => this.sealAllAgain([...path, index], item));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.sealAllAgain([...path, key], item)]),
    );
  }

  /** What the seal field of a record that has one may hold in place of what it holds: the same, under the newest key. */
  fieldAgain({ id, seal }: { readonly id: number; readonly seal: string }): string {
    const context = `${this.#resource} ${id}`;
    return this.#vault.seal(this.#vault.open(seal, context), context);
  }

  /** What the record's seal field must hold, once its id is known; undefined when it holds that already. */
  fieldFor(id: number): string | undefined {
    if (this.#name === undefined || this.#row?.seal) return undefined;
    return this.#vault.seal(this.#name, `${this.#resource} ${id}`);
  }

  #context(path: ValuePath): string {
    this.#name ??= this.#row?.seal
      ? this.#vault.open(this.#row.seal, `${this.#resource} ${this.#row.id}`)
      : crypto.randomUUID();
    return `${this.#resource} ${this.#name} ${JSON.stringify(path)}`;
  }
}
