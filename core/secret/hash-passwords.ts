import type { FieldDescriptions } from '../field/field-description.ts';
import type { RowValues } from '../store/table.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** The hashes that `hashPasswords` has computed already, by field, each with the password that it fits. */
export type PasswordHashes = ReadonlyMap<string, { readonly password: string; readonly hash: string }>;

/**
 * Hashes the passwords among the values of the columns. A password that fits its stored hash gets that hash, unless the
 * hash has weak settings.
 * @param before the stored row; undefined when there is none.
 * @param known hashes that need not be computed.
 */
export async function hashPasswords(
  columns: FieldDescriptions,
  values: RowValues,
  before: RowValues | undefined,
  hasher: PasswordHasher,
  known?: PasswordHashes,
): Promise<PasswordHashes> {
  const hashes = new Map<string, { readonly password: string; readonly hash: string }>();
  for (const { name, secret } of columns) {
    const password = values[name];
    const stored = before?.[name];
    if (secret !== 'hashed' || typeof password !== 'string' || password === stored) continue;
    const entry = known?.get(name);
    const hash = entry?.password === password ? entry.hash : await hashPassword(hasher, password, stored);
    hashes.set(name, { password, hash });
  }
  return hashes;
}

async function hashPassword(hasher: PasswordHasher, password: string, stored: unknown): Promise<string> {
  const isUnchanged =
    typeof stored === 'string' && !hasher.needsRehash(stored) && (await hasher.verify(stored, password));
  return isUnchanged ? stored : hasher.hash(password);
}
