import type { AuditedStore } from '../audit/audited-store.ts';
import { HorariumError } from '../errors.ts';
import { trustedActor } from '../resource/actor.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import { insertOne } from '../store/rows.ts';
import { newRow } from '../store/table.ts';
import type { Digests } from './digests.ts';
import { minPasswordLength, User } from './user.ts';
import { UserRoles } from './user-roles.ts';

export interface FirstUserContext {
  readonly store: AuditedStore;
  readonly passwordHasher: PasswordHasher;
  readonly digests: Digests;
  /** The password of the first user; null generates a random one. */
  readonly password: string | null;
}

export interface FirstUser {
  readonly login: string;
  /** The generated password, to be shown once; null when it was given. */
  readonly password: string | null;
}

const login = 'admin';
/** The length of a generated password, in characters of 6 bits each. */
const generatedLength = 24;

/**
 * Creates the user `admin`, a super_admin, in a store without users. Of several hosts that start at once, one creates
 * it.
 * @returns null when there are users already, or another host is creating the first one.
 * @throws HorariumError `invalid` when the password given is too short.
 */
export async function createFirstUser(context: FirstUserContext): Promise<FirstUser | null> {
  const { store, passwordHasher, digests, password } = context;
  if (password !== null && password.length < minPasswordLength)
    throw new HorariumError('invalid', `The first user's password must have at least ${minPasswordLength} characters.`);
  if ((await store.read((tables) => tables.of(User).count([], 1))) > 0) return null;
  const firstPassword = password ?? digests.random().slice(0, generatedLength);
  // Hashing is slow on purpose, so it is done before the transaction begins.
  const hash = await passwordHasher.hash(firstPassword);
  const created = await store.transaction(trustedActor('first start'), async (tables) => {
    if (!(await tables.tryLock('first-user')) || (await tables.of(User).count([], 1)) > 0) return false;
    const id = await insertOne(tables.of(User), newRow(User, { login, password: hash }));
    const role = { user_id: id, role: 'super_admin', assigned_at: await tables.now() } as const;
    await tables.of(UserRoles).insert([newRow(UserRoles, role)]);
    return true;
  });
  return created ? { login, password: password === null ? firstPassword : null } : null;
}
