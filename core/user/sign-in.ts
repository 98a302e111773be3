import type { AuditedStore } from '../audit/audited-store.ts';
import { type ErrorCode, HorariumError } from '../errors.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { type Actor, type RequestOrigin, trustedActor } from '../resource/actor.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import { RegionCache } from '../store/region-cache.ts';
import type { Tables } from '../store/store.ts';
import { minute } from '../time/duration.ts';
import { type Account, actorOf, findAccount } from './account.ts';
import type { BoundedHasher } from './bounded-hasher.ts';
import type { Digests } from './digests.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { findToken, isValid, secretPrefixes, Token, type TokenRow } from './token.ts';
import { User, type UserRow } from './user.ts';

export interface SignInContext {
  readonly store: AuditedStore;
  readonly passwordHasher: Pick<BoundedHasher, keyof PasswordHasher>;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly loginThrottle: Pick<LoginThrottle, 'begin' | 'succeed'>;
  readonly events: SignInEvents;
}

/** One attempt to sign in, for the security log. */
export interface SignInNote extends Omit<RequestOrigin, 'network'> {
  /** Null for an unknown login, which is not repeated: it may be a password that was typed in its place. */
  readonly userId: number | null;
}

export interface SignInEvents {
  /**
   * Called when a password was accepted. The use of a token or session is no sign-in, because a password was accepted for
   * it before.
   */
  signedIn?(note: SignInNote): void;
  signInRefused?(note: SignInNote, code: ErrorCode): void;
}

export interface SignedIn {
  readonly actor: Actor;
  readonly user: UserRow;
  /** The token or session of the request; null when it was a password. */
  readonly tokenId: number | null;
  /** When that token or session expires; null = never, or it was a password. */
  readonly expiresAt: Instant | null;
}

/** The time between two notes of the use of a token; a note at each request would turn every read into a write. */
const noteInterval: Milliseconds = 10 * minute;

/** The most accounts, and the most tokens, that are cached. */
const maxCached = 1000;

/** Authenticates users by token, session or password. It rejects with one and the same error, whatever is wrong. */
export class SignIn {
  readonly #context: SignInContext;
  readonly #verified: VerifiedPasswords;
  readonly #verifying = new Map<string, Promise<void>>();
  readonly #byToken = new RegionCache<{ readonly token: TokenRow; readonly account: Account }>('accounts', maxCached);
  readonly #byLogin = new RegionCache<Account>('accounts', maxCached);
  #dummyHash: string | null = null;

  constructor(context: SignInContext) {
    this.#context = context;
    this.#verified = new VerifiedPasswords(context.digests, context.clock);
  }

  /**
   * Authenticates by a bearer token, which no session is.
   * @throws HorariumError `unauthenticated` when the token is unknown, expired or revoked, or its user disabled.
   */
  async withToken(secret: string, origin: RequestOrigin): Promise<SignedIn> {
    return this.#withSecret(secret, origin, secretPrefixes.login);
  }

  /**
   * Authenticates by the secret of a session, which no bearer token is.
   * @throws HorariumError `unauthenticated` like `withToken`.
   */
  async withSession(secret: string, origin: RequestOrigin): Promise<SignedIn> {
    return this.#withSecret(secret, origin, secretPrefixes.session);
  }

  async #withSecret(secret: string, origin: RequestOrigin, prefix: string): Promise<SignedIn> {
    const { store, digests, events } = this.#context;
    const key = digests.sha256(secret);
    const { found, now } = await store.read(async (tables) => ({
      found: await this.#byToken.get(tables, key, () => findTokenWithAccount(tables, digests, secret)),
      now: await tables.now(),
    }));
    const isAccepted = found && secretPrefixes[found.token.kind] === prefix && isValid(found.token, now);
    if (!isAccepted || !found.account.user.enabled) {
      events.signInRefused?.(noteOf(origin, null), 'unauthenticated');
      throw unauthenticated();
    }
    const { token, account } = found;
    if ((token.last_used_at ?? 0) < now - noteInterval) await this.#noteUse(token, now);
    const { id: tokenId, expires_at: expiresAt } = token;
    return { actor: actorOf(account, now, origin), user: account.user, tokenId, expiresAt };
  }

  /**
   * Authenticates by password. An unknown login, a wrong password and a disabled user cost the same time.
   * @param explicit true for a login, false for a request that carries its password: a login is reported as an event
   *   every time.
   * @throws HorariumError `unauthenticated`, TooManyRequests after wrong passwords, `unavailable` when too many
   *   passwords are being checked.
   */
  async withPassword(login: string, password: string, origin: RequestOrigin, explicit = false): Promise<SignedIn> {
    const { events } = this.#context;
    const attempt = await this.#read(login, password, origin);
    try {
      if (!attempt.verified) await this.#verifyOnce(login, password, attempt.hash, origin);
      // The account is read again, because it may have been changed or disabled meanwhile.
      const { account, now, verified } = attempt.verified ? attempt : await this.#read(login, password, origin);
      if (!verified || !account?.user.enabled) throw unauthenticated();
      if (explicit || !attempt.verified) events.signedIn?.(noteOf(origin, account.user.id));
      return { actor: actorOf(account, now, origin), user: account.user, tokenId: null, expiresAt: null };
    } catch (error) {
      if (isRejection(error)) {
        this.#verified.countWrong(login, origin.ip);
        events.signInRefused?.(noteOf(origin, attempt.account?.user.id ?? null), error.code);
      }
      throw error;
    }
  }

  /** Reads the account and whether this password was verified lately against the hash that it has now. */
  async #read(login: string, password: string, { ip }: RequestOrigin) {
    const { account, now } = await this.#context.store.read(async (tables) => ({
      account: await this.#byLogin.get(tables, login, () => findAccount(tables, ['login', '=', login])),
      now: await tables.now(),
    }));
    const hash = account?.user.password ?? null;
    return { account, now, hash, verified: hash !== null && this.#verified.has(login, password, ip, hash) };
  }

  /** Verifies a password once for all requests that carry it at the same time, because clients often send several. */
  async #verifyOnce(login: string, password: string, hash: string | null, origin: RequestOrigin): Promise<void> {
    const key = this.#context.digests.keyed(JSON.stringify([login, password, hash, origin.ip]));
    const verifying = this.#verifying.get(key) ?? this.#verify(login, password, hash, origin);
    this.#verifying.set(key, verifying);
    try {
      await verifying;
    } finally {
      this.#verifying.delete(key);
    }
  }

  async #verify(login: string, password: string, hash: string | null, origin: RequestOrigin): Promise<void> {
    const { store, passwordHasher, loginThrottle } = this.#context;
    const { ip, network } = origin;
    const isKnown = network !== null && (await loginThrottle.begin(login, network));
    // A pair that succeeded lately has turns of its own, which guesses of other logins from its network cannot take.
    const group = JSON.stringify(isKnown ? [network, login] : [network]);
    const matches = await passwordHasher.verify(hash ?? (await this.#dummy()), password, group);
    const [user] = await store.readOnce((tables) => tables.of(User).find({ where: [['login', '=', login]], limit: 1 }));
    if (!matches || hash === null || !user?.enabled || user.password !== hash) throw unauthenticated();
    if (network !== null) await loginThrottle.succeed(login, network);
    this.#verified.add(login, password, ip, await this.#renewedHash(user, password));
  }

  /** Returns the hash that unknown logins are verified against, so that they cost the same time. */
  async #dummy(): Promise<string> {
    this.#dummyHash ??= await this.#context.passwordHasher.hash(this.#context.digests.random());
    return this.#dummyHash;
  }

  /**
   * Hashes a password again whose hash has weaker settings than those used now; returns the hash that is stored
   * then.
   */
  async #renewedHash({ id, password: before }: UserRow, password: string): Promise<string> {
    const { passwordHasher, store } = this.#context;
    if (before === null || !passwordHasher.needsRehash(before)) return before ?? '';
    const hash = await passwordHasher.hash(password);
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

function noteOf({ channel, ip, requestId }: RequestOrigin, userId: number | null): SignInNote {
  return { channel, ip, requestId, userId };
}

function unauthenticated(): HorariumError {
  return new HorariumError('unauthenticated', 'That is not enough to sign in with.');
}

/** Whether an error rejects the sign-in; any other says nothing about the attempt. */
function isRejection(error: unknown): error is HorariumError {
  return error instanceof HorariumError && (error.code === 'unauthenticated' || error.code === 'too_many_requests');
}

const verifiedFor: Milliseconds = 5 * minute;
const maxVerified = 10_000;
/**
 * How many wrong passwords an entry outlasts, so that a person at the same address who mistypes does not slow down a client
 * that sends the right one. With more of them the entry would tell a guesser, whom the throttle refuses, which is right.
 */
const maxWrong = 20;

interface VerifiedPassword {
  readonly password: string;
  readonly hash: string;
  readonly until: Milliseconds;
  /** How many other passwords were tried since. */
  wrong: number;
}

/**
 * Remembers for some minutes which password was verified against which stored hash, so that a client which sends its
 * password with every request pays for the slow hash once. An entry holds neither a password nor anything to find it
 * by. It counts only for the hash that the user's row has now, and for the address that it was verified from: the same
 * password from another address is a sign-in of its own.
 */
class VerifiedPasswords {
  readonly #digests: Digests;
  readonly #clock: Clock;
  readonly #entries = new LruCache<VerifiedPassword>(maxVerified);

  constructor(digests: Digests, clock: Clock) {
    this.#digests = digests;
    this.#clock = clock;
  }

  has(login: string, password: string, ip: string | null, hash: string): boolean {
    const entry = this.#entries.get(this.#keyed(login, ip));
    if (entry === undefined || entry.hash !== hash || entry.until <= this.#clock.elapsed()) return false;
    return entry.wrong < maxWrong && entry.password === this.#keyed(login, password, ip);
  }

  add(login: string, password: string, ip: string | null, hash: string): void {
    const until = this.#clock.elapsed() + verifiedFor;
    this.#entries.set(this.#keyed(login, ip), { password: this.#keyed(login, password, ip), hash, until, wrong: 0 });
  }

  /** Counts a password that was tried and is not the one that was verified. */
  countWrong(login: string, ip: string | null): void {
    const entry = this.#entries.get(this.#keyed(login, ip));
    if (entry) entry.wrong += 1;
  }

  #keyed(...parts: readonly (string | null)[]): string {
    return this.#digests.keyed(JSON.stringify(parts));
  }
}
