import type { AuditedStore } from '../audit/audited-store.ts';
import { conflict, denied, type FieldError, HorariumError, invalid } from '../errors.ts';
import { isPlainObject } from '../field/value-path.ts';
import { knownFields, readField, throwIfInvalid } from '../records/input.ts';
import type { Records, SaveOptions } from '../records/records.ts';
import { assertVersion } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { SignIn } from './sign-in.ts';
import { revokeLoginTokens } from './token.ts';
import { maxPasswordLength, User, type UserInput, type UserRow } from './user.ts';

export interface PasswordChangeContext {
  readonly store: AuditedStore;
  readonly users: Records<UserRow, UserInput>;
  readonly passwordHasher: PasswordHasher;
  readonly signIn: Pick<SignIn, 'withPassword'>;
}

interface Passwords {
  readonly old_password: string;
  readonly password: string;
}

/** A change of a password whose old one was verified. */
export interface VerifiedPasswordChange {
  readonly userId: number;
  /** The stored hash that the old password fits. */
  readonly oldHash: string | null;
  readonly newHash: string;
}

/** Changes the own password of a user, whatever the user's roles, given the old one. */
export class PasswordChange {
  readonly #context: PasswordChangeContext;

  constructor(context: PasswordChangeContext) {
    this.#context = context;
  }

  /**
   * Sets another password, and revokes the login tokens and sessions of the old one. A wrong old password counts as a failed login.
   * @param given `{old_password, password}` and nothing else.
   * @throws HorariumError `invalid`, also for a wrong old password, `denied` for another user than the actor,
   * `precondition_failed` for another version, TooManyRequests after wrong ones.
   */
  async change(actor: Actor, id: number, given: unknown, options: VersionOptions = {}): Promise<UserRow> {
    const verified = await this.verify(actor, id, given);
    const change = (tables: Tables) => this.changeIn(tables, verified, options);
    return this.#context.store.transaction(actor, change, { beyondQuota: true });
  }

  /**
   * Verifies the old password and hashes the new one: outside of a transaction, because both take long.
   * @throws HorariumError `invalid`, `not_found`, `denied`, TooManyRequests.
   */
  async verify(actor: Actor, id: number, given: unknown): Promise<VerifiedPasswordChange> {
    const { users, passwordHasher } = this.#context;
    const { login } = await users.get(actor, id);
    if (actor.userId !== id)
      throw denied('old_password goes with one’s own password; that of another user is set without it, by admins.');
    const { old_password, password } = readPasswords(given);
    const oldHash = await this.#hashOf(actor, login, old_password);
    return { userId: id, oldHash, newHash: await passwordHasher.hash(password) };
  }

  /**
   * Changes like `change`, in the caller's transaction.
   * @throws HorariumError `conflict` when the password was changed since it was verified, `precondition_failed`.
   */
  async changeIn(
    tables: Tables,
    { userId, oldHash, newHash }: VerifiedPasswordChange,
    { version }: VersionOptions = {},
  ): Promise<UserRow> {
    const table = tables.of(User);
    const [before] = await table.find({ where: [['id', '=', userId]], lock: 'wait' });
    if (before?.password !== oldHash) throw conflict('The password was changed by someone else meanwhile.');
    assertVersion(User, before, version);
    await table.update([{ row: before, set: { password: newHash } }]);
    const after = await readById(tables, User, userId);
    await revokeLoginTokens({ before, after }, tables);
    return after;
  }

  /** @returns the stored hash that the old password fits. */
  async #hashOf(actor: Actor, login: string, old: string): Promise<string | null> {
    try {
      const { user } = await this.#context.signIn.withPassword(login, old, actor);
      return user.password;
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code !== 'unauthenticated') throw error;
      throw invalid('User', [{ field: 'old_password', message: 'old_password is wrong' }]);
    }
  }
}

type VersionOptions = Pick<SaveOptions, 'version'>;

const passwordFields = ['old_password', 'password'];

function readPasswords(given: unknown): Passwords {
  const errors: FieldError[] = [];
  const fields = knownFields(isPlainObject(given) ? given : {}, passwordFields, 'a field of a password change', errors);
  const { old_password, password } = Object.fromEntries(fields);
  if (typeof old_password !== 'string') errors.push({ field: 'old_password', message: 'old_password must be a text' });
  else if (old_password.length > maxPasswordLength)
    errors.push({ field: 'old_password', message: `old_password may have at most ${maxPasswordLength} characters` });
  if (typeof password !== 'string') errors.push({ field: 'password', message: 'password must be a text' });
  else readField('password', User.fields['password'] as never, password, errors);
  if (password === old_password && errors.length === 0)
    errors.push({ field: 'password', message: 'password must be another one than before' });
  throwIfInvalid('User', errors);
  return { old_password, password } as Passwords;
}
