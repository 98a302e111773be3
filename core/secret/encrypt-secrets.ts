import type { FieldError } from '../errors.ts';
import type { FieldDescriptions } from '../field/field-description.ts';
import { isPlainObject, pathText, type ValuePath, valueAt, withValuesAt } from '../field/value-path.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { isCiphertext, mask } from './ciphertext.ts';
import { hashPasswords, type PasswordHashes } from './hash-passwords.ts';
import { assertMayEncrypt } from './key-registry.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { type CipherRow, RecordCipher } from './record-cipher.ts';
import { excessErrors, type PlacedSecret } from './secrets-size.ts';
import { isShortSecret } from './short-secrets.ts';
import type { Vault } from './vault.ts';

interface EncryptionContext<R> {
  readonly tables: Tables;
  /** Secrets are encrypted by the vault, passwords are hashed. */
  readonly service: { readonly vault: Vault; readonly passwordHasher: PasswordHasher };
  /** The row before the change; undefined when it is new. */
  readonly before: R | undefined;
  /** The paths of the secrets inside the structured fields of the row. */
  readonly paths: readonly ValuePath[];
  /** The hashes that were computed before the transaction; the others are computed now. */
  readonly hashes?: PasswordHashes | undefined;
}

/**
 * Replaces each mask that a caller sends back with the ciphertext that is stored in its place. Rejects a mask with no
 * secret stored in its place, and a value that only the vault may write, also in records that have no secrets: the audit
 * log would mask it, and so hide what was written.
 */
export function restoreMasked(
  { columns }: { readonly columns: FieldDescriptions },
  set: Record<string, unknown>,
  before: object | undefined,
  errors: FieldError[],
): void {
  for (const column of columns) {
    if (!(column.name in set)) continue;
    const maskable = column.kind === 'json' || column.secret === 'encrypted';
    set[column.name] = restoreValue(set[column.name], [column.name], maskable ? before : null, errors);
  }
}

/** Restores the masks of a value. @param before null where a mask means nothing. */
function restoreValue(
  value: unknown,
  path: ValuePath,
  before: object | undefined | null,
  errors: FieldError[],
): unknown {
  if (isCiphertext(value)) {
    errors.push({ field: pathText(path), message: `${pathText(path)} may not begin like an encrypted value` });
    return value;
  }
  if (value === mask && before !== null) {
    const stored = valueAt(before, path);
    if (isCiphertext(stored)) return stored;
    errors.push({ field: pathText(path), message: `${pathText(path)} is masked, but no secret is stored there` });
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => restoreValue(item, [...path, index], before, errors));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, restoreValue(item, [...path, key], before, errors)]),
  );
}

/** A row whose secrets are encrypted. */
export interface EncryptedSecrets<R> {
  readonly row: R;
  readonly cipher: RecordCipher;
  /** The fields with a secret that was in the clear, and is too short to be masked in output. */
  readonly tooShort: readonly string[];
  /** The error of a secret that was in the clear, and with which all secrets of the row are too large. */
  readonly tooLarge: readonly FieldError[];
}

/**
 * Encrypts the secrets of a row and hashes its passwords, so that it may be written. A secret that did not change keeps
 * its ciphertext.
 */
export async function encryptSecrets<R extends AnyRow>(
  table: TableDescription,
  row: R,
  { before, service, tables, paths, hashes }: EncryptionContext<R>,
): Promise<EncryptedSecrets<R>> {
  const cipher = new RecordCipher(service.vault, table, before && cipherRowOf(before));
  const secretColumns = table.columns.filter((column) => column.secret);
  if (secretColumns.length === 0 && paths.length === 0) return { row, cipher, tooShort: [], tooLarge: [] };
  const hashed = await hashPasswords(secretColumns, row, before, service.passwordHasher, hashes);
  const set = Object.fromEntries([...hashed].map(([name, { hash }]) => [name, hash]));
  const hashedRow = hashed.size > 0 ? { ...row, ...set } : row;
  const changes: [ValuePath, string][] = [];
  const tooShort: string[] = [];
  const changed: PlacedSecret[] = [];
  const kept: (() => string)[] = [];
  const wholeFields = secretColumns.filter(({ secret }) => secret === 'encrypted').map(({ name }) => [name]);
  for (const path of [...wholeFields, ...paths]) {
    await yieldToEventLoop();
    const value = valueAt(hashedRow, path);
    if (isCiphertext(value)) kept.push(() => cipher.decrypt(path, value));
    if (value === null || value === undefined || isCiphertext(value)) continue;
    const plain = String(value);
    if (isShortSecret(plain)) tooShort.push(pathText(path));
    const stored = valueAt(before, path);
    if (isCiphertext(stored) && cipher.decrypt(path, stored) === plain) {
      changes.push([path, stored]);
      kept.push(() => plain);
      continue;
    }
    changed.push({ field: pathText(path), plain });
    await assertMayEncrypt(tables, service.vault);
    changes.push([path, cipher.encrypt(path, plain)]);
  }
  return { row: withValuesAt(hashedRow, changes), cipher, tooShort, tooLarge: excessErrors(kept, changed) };
}

function cipherRowOf({ id, cipher_key: key }: AnyRow): CipherRow {
  return { id, cipher_key: typeof key === 'string' ? key : null };
}
