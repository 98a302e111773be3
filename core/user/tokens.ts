import type { AuditedStore, TransactionHooks } from '../audit/audited-store.ts';
import { denied, notFound } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Guard } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { Digests } from './digests.ts';
import { Token, type TokenRow } from './token.ts';
import { User } from './user.ts';

/** Says to whoever finds one lying about what it is. */
const prefix = 'hor_';

export interface TokensContext {
  readonly store: AuditedStore;
  readonly guard: Guard;
  readonly digests: Digests;
  /** How long a token lives that was got by signing in. */
  readonly loginTtl: Milliseconds;
}

export interface IssuedToken {
  /** The token itself; from here on only its hash is known. */
  readonly secret: string;
  readonly row: TokenRow;
}

/** What users sign in with instead of a password: made, listed, revoked. */
export class Tokens {
  readonly #context: TokensContext;

  constructor(context: TokensContext) {
    this.#context = context;
  }

  /**
   * Makes a token for the user with that login.
   * @param ttl null = it never expires.
   * @throws HorariumError `not_found` for an unknown login, `denied`.
   */
  async mint(
    actor: Actor,
    { login, name, ttl }: { readonly login: string; readonly name: string | null; readonly ttl: Milliseconds | null },
  ): Promise<IssuedToken> {
    return this.#context.store.transaction(actor, async (tables) => {
      const [user] = await tables.of(User).find({ where: [['login', '=', login]] });
      if (!user) throw notFound('User', login);
      return this.#insert(tables, actor, { user_id: user.id, name, kind: 'cli' }, ttl);
    });
  }

  /** Makes a token for somebody who has just proven who they are. */
  async mintForLogin(actor: Actor): Promise<IssuedToken> {
    const { store, loginTtl } = this.#context;
    return store.transaction(actor, async (tables) => {
      const now = await tables.now();
      const userId = actor.userId as number;
      await tables.of(User).updateWhere([['id', '=', userId]], { last_login_at: now });
      return this.#insert(tables, actor, { user_id: userId, name: null, kind: 'login' }, loginTtl);
    });
  }

  /** The tokens that have not been revoked, oldest first: those of one user, or all. They are not the secrets. */
  async list(actor: Actor, login?: string): Promise<TokenRow[]> {
    return this.#context.store.read(async (tables) => {
      const users = login === undefined ? undefined : await tables.of(User).find({ where: [['login', '=', login]] });
      if (users?.length === 0) throw notFound('User', login as string);
      const owned = users ? ([['user_id', 'in', users.map((user) => user.id)]] as const) : [];
      const rows = await tables.of(Token).find({ where: [['revoked_at', '=', null], ...owned] });
      const refusals = await Promise.all(rows.map((row) => this.#refusal(tables, actor, row, row)));
      return rows.filter((_row, index) => refusals[index] === undefined);
    });
  }

  /** Ends a token at once; one that has ended already stays as it is. @throws HorariumError `not_found`, `denied`. */
  async revoke(actor: Actor, id: number, hooks?: TransactionHooks<TokenRow>): Promise<TokenRow> {
    const revoke = async (tables: Tables) => {
      const [row] = await tables.of(Token).find({ where: [['id', '=', id]], lock: 'wait' });
      if (!row) throw notFound('Token', id);
      const ended = { ...row, revoked_at: row.revoked_at ?? (await tables.now()) };
      await this.#permit(tables, actor, row, ended);
      if (row.revoked_at === null) await tables.of(Token).update([{ row, set: { revoked_at: ended.revoked_at } }]);
      return ended;
    };
    return this.#context.store.transaction(actor, revoke, hooks);
  }

  async #insert(
    tables: Tables,
    actor: Actor,
    fields: Pick<TokenRow, 'user_id' | 'name' | 'kind'>,
    ttl: Milliseconds | null,
  ): Promise<IssuedToken> {
    const secret = `${prefix}${this.#context.digests.random()}`;
    const expires_at: Instant | null = ttl === null ? null : (await tables.now()) + ttl;
    const row = newRow(Token, { ...fields, hash: this.#context.digests.sha256(secret), expires_at });
    await this.#permit(tables, actor, undefined, row);
    const [id] = await tables.of(Token).insert([row]);
    return { secret, row: { ...row, id: id as number } as TokenRow };
  }

  async #permit(tables: Tables, actor: Actor, before: object | undefined, after: object | undefined): Promise<void> {
    const refusal = await this.#refusal(tables, actor, before, after);
    if (refusal) throw denied(refusal);
  }

  /** Everybody may do as they like with their own tokens; those of others are for the guard to say. */
  async #refusal(
    tables: Tables,
    actor: Actor,
    before: object | undefined,
    after: object | undefined,
  ): Promise<string | undefined> {
    const owner = (after ?? before) as Pick<TokenRow, 'user_id'>;
    if (actor.userId !== null && owner.user_id === actor.userId) return undefined;
    return this.#context.guard.refusal(actor, Token, before, after, tables);
  }
}

/** The token of that secret, whether it still counts or not. */
export async function findToken(tables: Tables, digests: Digests, secret: string): Promise<TokenRow | undefined> {
  if (!secret.startsWith(prefix)) return undefined;
  const [token] = await tables.of(Token).find({ where: [['hash', '=', digests.sha256(secret)]], limit: 1 });
  return token;
}

/** @param now by the store's clock */
export function isValid({ revoked_at, expires_at }: TokenRow, now: Instant): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}
