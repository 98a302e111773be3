import type { AuditedStore } from '../audit/audited-store.ts';
import { type ErrorCode, HorariumError } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import { ReadCache } from '../store/read-cache.ts';
import type { Tables } from '../store/store.ts';
import { type Account, actorOf, findAccount, type RequestOrigin } from './account.ts';
import type { Digests } from './digests.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { Token, type TokenRow } from './token.ts';
import { findToken, isValid } from './tokens.ts';
import { User, type UserRow } from './user.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

export interface SignInContext {
  readonly store: AuditedStore;
  readonly passwords: PasswordHasher;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly loginThrottle: Pick<LoginThrottle, 'begin' | 'succeed'>;
  readonly events: SignInEvents;
}

/** Who tried to come in, and from where. */
export interface SignInNote extends RequestOrigin {
  /** Null where there is no such user: what was typed in place of a login may be a password, so it is not told. */
  readonly userId: number | null;
}

/** For whoever watches who comes in. */
export interface SignInEvents {
  /** Somebody came in with a password; whoever shows a token has done so before. */
  signedIn?(note: SignInNote): void;
  signInRefused?(note: SignInNote, code: ErrorCode): void;
}

export interface SignedIn {
  readonly actor: Actor;
  readonly user: UserRow;
  /** The token that was shown; null when it was a password. */
  readonly tokenId: number | null;
}

/** How often it is noted that a token is in use: a note at every request would make every read a write. */
const noteEvery: Milliseconds = 10 * 60_000;

/** Accounts, and as many tokens, that are kept in memory. */
const mostKept = 1000;

/** Finds out who somebody is. Whatever is wrong with what they show, the answer is one and the same. */
export class SignIn {
  readonly #context: SignInContext;
  readonly #proofs: VerifiedPasswords;
  readonly #judging = new Map<string, Promise<void>>();
  readonly #byToken = new ReadCache<{ readonly token: TokenRow; readonly account: Account }>(mostKept);
  readonly #byLogin = new ReadCache<Account>(mostKept);
  #dummyHash: string | null = null;

  constructor(context: SignInContext) {
    this.#context = context;
    this.#proofs = new VerifiedPasswords(context.digests, context.clock);
  }

  /** @throws HorariumError `unauthenticated` when it is unknown, expired or revoked, or its user disabled. */
  async withToken(secret: string, visit: RequestOrigin): Promise<SignedIn> {
    const { store, digests, events } = this.#context;
    const key = digests.sha256(secret);
    const { found, now } = await store.read(async (tables) => ({
      found: await this.#byToken.get(tables, key, () => findTokenWithAccount(tables, digests, secret)),
      now: await tables.now(),
    }));
    if (!found?.account.user.enabled || !isValid(found.token, now)) {
      events.signInRefused?.({ ...visit, userId: null }, 'unauthenticated');
      throw refused();
    }
    const { token, account } = found;
    if ((token.last_used_at ?? 0) < now - noteEvery) await this.#noteUse(token, now);
    return { actor: actorOf(account, now, visit), user: account.user, tokenId: token.id };
  }

  /**
   * An unknown login, a wrong password and a disabled user cost the same time.
   * @param asked whether signing in is what was asked for: then it is told as an event every time.
   * @throws HorariumError `unauthenticated`, TooManyRequests after wrong ones, `unavailable` when too many ask at once.
   */
  async withPassword(login: string, password: string, visit: RequestOrigin, asked = false): Promise<SignedIn> {
    const { events } = this.#context;
    const first = await this.#proven(login, password, visit.ip);
    try {
      if (!first.holds) await this.#judgeOnce(login, password, first.hash, visit.ip);
      // Read again, because the user may have been changed or disabled meanwhile.
      const { account, now, holds } = first.holds ? first : await this.#proven(login, password, visit.ip);
      if (!holds || !account?.user.enabled) throw refused();
      if (asked || !first.holds) events.signedIn?.({ ...visit, userId: account.user.id });
      return { actor: actorOf(account, now, visit), user: account.user, tokenId: null };
    } catch (error) {
      if (isRefusal(error)) events.signInRefused?.({ ...visit, userId: first.account?.user.id ?? null }, error.code);
      throw error;
    }
  }

  async #proven(login: string, password: string, address: string | null) {
    const { account, now } = await this.#context.store.read(async (tables) => ({
      account: await this.#byLogin.get(tables, login, () => findAccount(tables, ['login', '=', login])),
      now: await tables.now(),
    }));
    const hash = account?.user.password ?? null;
    return { account, now, hash, holds: hash !== null && this.#proofs.holds(login, password, address, hash) };
  }

  /** Clients often send several requests at once: the same password is judged once for all of them. */
  async #judgeOnce(login: string, password: string, hash: string | null, address: string | null): Promise<void> {
    const key = this.#context.digests.keyed(JSON.stringify([login, password, hash, address]));
    const judging = this.#judging.get(key) ?? this.#judge(login, password, hash, address);
    this.#judging.set(key, judging);
    try {
      await judging;
    } finally {
      this.#judging.delete(key);
    }
  }

  async #judge(login: string, password: string, hash: string | null, address: string | null): Promise<void> {
    const { store, passwords, loginThrottle } = this.#context;
    if (address !== null) await loginThrottle.begin(login, address);
    const fits = await passwords.verify(hash ?? (await this.#dummy()), password);
    const [user] = await store.readOnce((tables) => tables.of(User).find({ where: [['login', '=', login]], limit: 1 }));
    if (!fits || hash === null || !user?.enabled || user.password !== hash) throw refused();
    if (address !== null) await loginThrottle.succeed(login, address);
    this.#proofs.add(login, password, address, await this.#renewedHash(user, password));
  }

  async #dummy(): Promise<string> {
    this.#dummyHash ??= await this.#context.passwords.hash(this.#context.digests.random());
    return this.#dummyHash;
  }

  /** A password that was hashed with weaker settings than are used now is hashed anew, now that it is known. */
  async #renewedHash({ id, password: before }: UserRow, password: string): Promise<string> {
    const { passwords, store } = this.#context;
    if (before === null || !passwords.needsRehash(before)) return before ?? '';
    const hash = await passwords.hash(password);
    await store.transaction(trustedActor('sign-in'), async (tables) => {
      const where = [['id', '=', id] as const, ['password', '=', before] as const];
      const [row] = await tables.of(User).find({ where, lock: 'wait' });
      if (row) await tables.of(User).update([{ row, set: { password: hash } }]);
    });
    return hash;
  }

  async #noteUse(token: TokenRow, now: number): Promise<void> {
    await this.#context.store.transaction(trustedActor('sign-in'), async (tables) => {
      await tables.of(Token).updateWhere([['id', '=', token.id]], { last_used_at: now });
    });
  }
}

async function findTokenWithAccount(tables: Tables, digests: Digests, secret: string) {
  const token = await findToken(tables, digests, secret);
  const account = token && (await findAccount(tables, ['id', '=', token.user_id]));
  return token && account && { token, account };
}

function refused(): HorariumError {
  return new HorariumError('unauthenticated', 'That is not enough to sign in with.');
}

/** Whoever came was turned away; anything else says nothing about them. */
function isRefusal(error: unknown): error is HorariumError {
  return error instanceof HorariumError && (error.code === 'unauthenticated' || error.code === 'too_many_requests');
}
