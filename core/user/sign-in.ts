import type { AuditedStore } from '../audit/audited-store.ts';
import { type ErrorCode, HorariumError } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { Tables } from '../resource/store.ts';
import { actorOf, type Visit } from './actors.ts';
import type { Digests } from './digests.ts';
import type { Guesses } from './guesses.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { Proofs } from './proofs.ts';
import { Token, type TokenRow } from './token.ts';
import { validToken } from './tokens.ts';
import { User, type UserRow } from './user.ts';

export interface SignInContext {
  readonly store: AuditedStore;
  readonly passwords: PasswordHasher;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly guesses: Pick<Guesses, 'begin' | 'right'>;
  readonly events: SignInEvents;
}

/** Who tried to come in, and from where. */
export interface SignInNote extends Visit {
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

/** Finds out who somebody is. Whatever is wrong with what they show, the answer is one and the same. */
export class SignIn {
  readonly #context: SignInContext;
  readonly #proofs: Proofs;
  readonly #judging = new Map<string, Promise<void>>();
  #dummyHash: string | null = null;

  constructor(context: SignInContext) {
    this.#context = context;
    this.#proofs = new Proofs(context.digests, context.clock);
  }

  /** @throws HorariumError `unauthenticated` when it is unknown, expired or revoked, or its user disabled. */
  async withToken(secret: string, visit: Visit): Promise<SignedIn> {
    const { store, digests, events } = this.#context;
    const found = await store.read(async (tables) => {
      const token = await validToken(tables, digests, secret);
      const user = token && (await enabledUser(tables, [['id', '=', token.user_id]]));
      if (!token || !user) return undefined;
      return { token, user, now: await tables.now(), actor: await actorOf(tables, user, visit) };
    });
    if (!found) {
      events.signInRefused?.({ ...visit, userId: null }, 'unauthenticated');
      throw refused();
    }
    const { token, user, actor, now } = found;
    if ((token.last_used_at ?? 0) < now - noteEvery) await this.#noteUse(token, now);
    return { actor, user, tokenId: token.id };
  }

  /**
   * An unknown login, a wrong password and a disabled user cost the same time.
   * @param asked whether signing in is what was asked for: then it is told as an event every time.
   * @throws HorariumError `unauthenticated`, TooManyRequests after wrong ones, `unavailable` when too many ask at once.
   */
  async withPassword(login: string, password: string, visit: Visit, asked = false): Promise<SignedIn> {
    const { store, events } = this.#context;
    const where = [['login', '=', login]] as const;
    const [known] = await store.read((tables) => tables.of(User).find({ where, limit: 1 }));
    try {
      const hash = known?.password ?? null;
      const proven = hash !== null && this.#proofs.holds(login, password, visit.ip, hash);
      if (!proven) await this.#judgeOnce(login, password, hash, visit.ip);
      // Read again, because the user may have been changed or disabled meanwhile.
      const found = await store.read(async (tables) => {
        const user = await enabledUser(tables, where);
        const fits = user?.password != null && this.#proofs.holds(login, password, visit.ip, user.password);
        return user && fits ? { user, actor: await actorOf(tables, user, visit) } : undefined;
      });
      if (!found) throw refused();
      if (asked || !proven) events.signedIn?.({ ...visit, userId: found.user.id });
      return { ...found, tokenId: null };
    } catch (error) {
      if (isRefusal(error)) events.signInRefused?.({ ...visit, userId: known?.id ?? null }, error.code);
      throw error;
    }
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
    const { store, passwords, guesses } = this.#context;
    if (address !== null) await guesses.begin(login, address);
    const fits = await passwords.verify(hash ?? (await this.#dummy()), password);
    const user = await store.read((tables) => enabledUser(tables, [['login', '=', login]]));
    if (!fits || hash === null || user?.password !== hash) throw refused();
    if (address !== null) await guesses.right(login, address);
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

async function enabledUser(
  tables: Tables,
  where: readonly (readonly [string, '=', unknown])[],
): Promise<UserRow | undefined> {
  const [user] = await tables.of(User).find({ where, limit: 1 });
  return user?.enabled ? user : undefined;
}

function refused(): HorariumError {
  return new HorariumError('unauthenticated', 'That is not enough to sign in with.');
}

/** Whoever came was turned away; anything else says nothing about them. */
function isRefusal(error: unknown): error is HorariumError {
  return error instanceof HorariumError && (error.code === 'unauthenticated' || error.code === 'too_many_requests');
}
