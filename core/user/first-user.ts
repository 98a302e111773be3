import type { AuditedStore } from '../audit/audited-store.ts';
import { HorariumError } from '../errors.ts';
import { trustedActor } from '../resource/actor.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import { newRow } from '../store/table.ts';
import type { Digests } from './digests.ts';
import { shortestPassword, User } from './user.ts';
import { UserRoles } from './user-roles.ts';

export interface FirstUserContext {
  readonly store: AuditedStore;
  readonly passwords: PasswordHasher;
  readonly digests: Digests;
  /** Null = a random one is made. */
  readonly password: string | null;
}

export interface FirstUser {
  readonly login: string;
  /** To be shown once; null when it was given. */
  readonly password: string | null;
}

const login = 'admin';
/** 24 characters of 6 bits each. */
const madeLength = 24;

/**
 * Makes the user `admin`, a super_admin, in a store without any user. Of several hosts that start at once one makes it.
 * @returns null when there are users already, or another host is just making the first one.
 * @throws HorariumError `invalid` when the password given is too short.
 */
export async function makeFirstUser(context: FirstUserContext): Promise<FirstUser | null> {
  const { store, passwords, digests, password } = context;
  if (password !== null && password.length < shortestPassword)
    throw new HorariumError('invalid', `The first user's password must have at least ${shortestPassword} characters.`);
  if ((await store.read((tables) => tables.of(User).count([], 1))) > 0) return null;
  const used = password ?? digests.random().slice(0, madeLength);
  // Hashing is slow on purpose, so it is done before the transaction begins.
  const hash = await passwords.hash(used);
  const made = await store.transaction(trustedActor('first start'), async (tables) => {
    if (!(await tables.tryLock('first-user')) || (await tables.of(User).count([], 1)) > 0) return false;
    const [id] = await tables.of(User).insert([newRow(User, { login, password: hash })]);
    const role = { user_id: id as number, role: 'super_admin', assigned_at: await tables.now() } as const;
    await tables.of(UserRoles).insert([newRow(UserRoles, role)]);
    return true;
  });
  return made ? { login, password: password === null ? used : null } : null;
}
