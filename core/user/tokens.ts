import type { AuditedStore } from '../audit/audited-store.ts';
import { insertRecord } from '../audit/audited-table.ts';
import { conflict, HorariumError, notFound } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { authorize, readVisible, visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { day, parseDuration } from '../time/duration.ts';
import type { Digests } from './digests.ts';
import type { SignedIn } from './sign-in.ts';
import { isValid, secretPrefixes, Token, type TokenRow } from './token.ts';
import { User, type UserRow } from './user.ts';

export interface TokensContext {
  readonly store: AuditedStore;
  readonly digests: Digests;
  /** The lifetime of a token that a login returns, and of a session. */
  readonly loginTtl: Milliseconds;
}

export interface IssuedToken {
  /** The token itself; the store has its hash only. */
  readonly secret: string;
  readonly row: TokenRow;
}

/** Issues, lists and revokes the tokens that users sign in with instead of a password. */
export class Tokens {
  readonly #context: TokensContext;

  constructor(context: TokensContext) {
    this.#context = context;
  }

  /**
   * Issues a token to the user with that login.
   * @param ttl null = it never expires.
   * @throws HorariumError `not_found` for an unknown login, `denied`.
   */
  async issue(
    actor: Actor,
    { login, name, ttl }: { readonly login: string; readonly name: string | null; readonly ttl: Milliseconds | null },
  ): Promise<IssuedToken> {
    return this.#context.store.transaction(actor, async (tables) => {
      const user = await readByLogin(tables, actor, login);
      return this.#insert(tables, actor, { user_id: user.id, name, kind: 'cli' }, ttl);
    });
  }

  /** Issues a token to an actor who has just signed in with a password; the oldest ones beyond the limit are revoked. */
  async issueForLogin(actor: Actor): Promise<IssuedToken> {
    return this.#context.store.transaction(actor, (tables) =>
      this.#insertAtSignIn(tables, actor, { name: null, kind: 'login' }),
    );
  }

  /**
   * Issues the token of a session to a user who has just signed in with a password; the oldest ones beyond the limit are
   * revoked.
   * @param name tells the session from the others of its user: `Firefox on Linux`.
   * @param replaced the secret of the session that the browser had before, of any user; it ends.
   * @throws HorariumError `conflict` when the password was changed or the user disabled since, which ended all sessions.
   */
  async issueSession(
    { actor, user: { id, password } }: Pick<SignedIn, 'actor' | 'user'>,
    { name, replaced }: { readonly name: string; readonly replaced: string | null },
  ): Promise<IssuedToken> {
    const { store, digests } = this.#context;
    return store.transaction(actor, async (tables) => {
      const [user] = await tables.of(User).find({ where: [['id', '=', id]], lock: 'wait' });
      if (!user?.enabled || user.password !== password)
        throw conflict('The password was changed or the user disabled meanwhile; sign in again.');
      if (replaced !== null) await revokeSession(tables, digests.sha256(replaced));
      return this.#insertAtSignIn(tables, actor, { name, kind: 'session' });
    });
  }

  /**
   * Returns the tokens that the actor may see and that are not revoked, oldest first, of one user or all; the rows do not
   * hold the secrets.
   * @throws HorariumError `not_found` for an unknown login.
   */
  async list(actor: Actor, login?: string): Promise<TokenRow[]> {
    return this.#context.store.read(async (tables) => {
      const user = login === undefined ? undefined : await readByLogin(tables, actor, login);
      const ofUser = user ? ([['user_id', '=', user.id]] as const) : [];
      const where = [['revoked_at', '=', null], ...ofUser, ...visibleTo(actor, Token)] as const;
      return tables.of(Token).find({ where });
    });
  }

  /**
   * Returns the tokens with which the actor's user can sign in now, sessions among them, those that were used last first: of
   * more than 1000 the newest. The rows do not hold the secrets.
   */
  async listOwn({ userId }: Actor): Promise<TokenRow[]> {
    if (userId === null) return [];
    const { store } = this.#context;
    return store.read(async (tables) => {
      const where = [
        ['user_id', '=', userId],
        ['revoked_at', '=', null],
      ] as const;
      const query = { where, order: [['id', 'desc']], limit: maxListed } as const;
      const [rows, now] = [await tables.of(Token).find(query), await tables.now()];
      const lastUse = ({ last_used_at, created_at }: TokenRow) => last_used_at ?? created_at;
      return rows.filter((row) => isValid(row, now)).sort((one, other) => lastUse(other) - lastUse(one));
    });
  }

  /**
   * Revokes like `revokeIn` a token of the actor's own, whatever others the actor may revoke.
   * @throws HorariumError `not_found` for one of another user, too.
   */
  async revokeOwnIn(tables: Tables, actor: Actor, id: number): Promise<TokenRow> {
    const row = await readVisible(tables, actor, Token, id);
    if (actor.userId === null || row.user_id !== actor.userId) throw notFound(Token.name, id);
    return this.revokeIn(tables, actor, id);
  }

  /** Revokes a token at once; one that is revoked already stays as it is. @throws HorariumError `not_found`, `denied`. */
  async revoke(actor: Actor, id: number): Promise<TokenRow> {
    const revoke = (tables: Tables) => this.revokeIn(tables, actor, id);
    return this.#context.store.transaction(actor, revoke, { beyondQuota: true });
  }

  /** Revokes like `revoke`, in the caller's transaction. */
  async revokeIn(tables: Tables, actor: Actor, id: number): Promise<TokenRow> {
    const row = await readVisible(tables, actor, Token, id, 'wait');
    const revoked = { ...row, revoked_at: row.revoked_at ?? (await tables.now()) };
    await authorize(tables, actor, Token, row, revoked);
    if (row.revoked_at === null) await tables.of(Token).update([{ row, set: { revoked_at: revoked.revoked_at } }]);
    return revoked;
  }

  async #insertAtSignIn(
    tables: Tables,
    actor: Actor,
    fields: { readonly name: string | null; readonly kind: SignInKind },
  ): Promise<IssuedToken> {
    const now = await tables.now();
    const user_id = actor.userId as number;
    await tables.of(User).updateWhere([['id', '=', user_id]], { last_login_at: now });
    await revokeOldestTokens(tables, user_id, fields.kind, now);
    return this.#insert(tables, actor, { user_id, ...fields }, this.#context.loginTtl);
  }

  async #insert(
    tables: Tables,
    actor: Actor,
    fields: Pick<TokenRow, 'user_id' | 'name' | 'kind'>,
    ttl: Milliseconds | null,
  ): Promise<IssuedToken> {
    const secret = `${secretPrefixes[fields.kind]}${this.#context.digests.random()}`;
    const expires_at: Instant | null = ttl === null ? null : (await tables.now()) + ttl;
    const row = newRow(Token, { ...fields, hash: this.#context.digests.sha256(secret), expires_at });
    await authorize(tables, actor, Token, undefined, row);
    return { secret, row: await insertRecord(tables, Token, row) };
  }
}

/** The kinds of the tokens that are issued for a password. */
type SignInKind = Exclude<TokenRow['kind'], 'cli'>;

/** How many tokens of a user are listed. */
const maxListed = 1000;
/** How many login tokens of a user are valid at once. */
const maxLoginTokens = 1000;
/** How many sessions of a user are valid at once: people open fewer browsers than programs sign in. */
const maxSessions = 100;
const maxTokens: Readonly<Record<SignInKind, number>> = { login: maxLoginTokens, session: maxSessions };

/** Revokes the oldest tokens of a user, so that there is room for another one. */
async function revokeOldestTokens(tables: Tables, userId: number, kind: SignInKind, now: Instant): Promise<void> {
  const where = [
    ['user_id', '=', userId],
    ['kind', '=', kind],
    ['revoked_at', '=', null],
  ] as const;
  const order = [['id', 'desc']] as const;
  const oldest = await tables.of(Token).find({ where, order, offset: maxTokens[kind] - 1, limit: 100 });
  if (oldest.length > 0) await tables.of(Token).update(oldest.map((row) => ({ row, set: { revoked_at: now } })));
}

/** Revokes the session with a secret of that hash. Who has its secret may end it, without being its user. */
async function revokeSession(tables: Tables, hash: string): Promise<void> {
  const now = await tables.now();
  const where = [
    ['hash', '=', hash],
    ['kind', '=', 'session'],
    ['revoked_at', '=', null],
  ] as const;
  const sessions = await tables.of(Token).find({ where, lock: 'wait' });
  await tables.of(Token).update(sessions.map((row) => ({ row, set: { revoked_at: now } })));
}

/** Reads the user with this login. @throws HorariumError `not_found`, also for one that the actor may not see. */
async function readByLogin(tables: Tables, actor: Actor, login: string): Promise<UserRow> {
  const [user] = await tables.of(User).find({ where: [['login', '=', login], ...visibleTo(actor, User)] });
  if (!user) throw notFound('User', login);
  return user;
}

/**
 * The maximum lifetime of a token, a hundred years: longer than any should live, and within the dates of every
 * database.
 */
const maxTtl: Milliseconds = 36_525 * day;

/**
 * Reads the lifetime of a token, or of another credential: `45s`, `15m`, `12h`, `90d`, or `never`.
 * @returns null for `never`.
 * @throws HorariumError `invalid` for anything else.
 */
export function parseTtl(text: string): Milliseconds | null {
  if (text === 'never') return null;
  const ttl = parseDuration(text) ?? 0;
  if (ttl > 0 && ttl <= maxTtl) return ttl;
  throw new HorariumError('invalid', `A time to live is written 45s, 15m, 12h, 90d or never, not "${text}".`);
}
