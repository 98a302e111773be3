import type { AuditedStore } from '../audit/audited-store.ts';
import { TooManyRequests } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { clientNetwork } from './client-network.ts';
import type { Digests } from './digests.ts';
import { LoginAttempt, type LoginAttemptRow } from './login-attempt.ts';
import { type ThrottlePolicy, throttleDelay, throttlePolicies } from './throttle-policy.ts';

/** Whoever was right this recently from this address is let past the limits of others. */
const lately: Milliseconds = 30 * 86_400_000;
/** Wrong guesses older than this do not count any more. */
const memory: Milliseconds = 86_400_000;
const mostForgotten = 500;
const actor = trustedActor('sign-in');

interface Counter {
  readonly key: string;
  readonly policy: ThrottlePolicy;
}

/**
 * Slows down those who guess passwords: the more wrong guesses, the longer until the next one is judged. Counted for
 * each login from each address, more patiently for each login and each address; all hosts share the counters.
 */
export class LoginThrottle {
  readonly #store: AuditedStore;
  readonly #digests: Pick<Digests, 'sha256'>;

  constructor(store: AuditedStore, digests: Pick<Digests, 'sha256'>) {
    this.#store = store;
    this.#digests = digests;
  }

  /**
   * To be called before a password is looked at. It counts as wrong until it is said to be right, so that many at once
   * are no way around.
   * @throws TooManyRequests while no further one is judged.
   */
  async begin(login: string, address: string): Promise<void> {
    await this.#store.transaction(actor, async (tables) => {
      const now = await tables.now();
      const [pair, ...others] = this.#counters(login, address);
      const own = await locked(tables, pair, now);
      const known = own.right_at !== null && own.right_at > now - lately;
      const rows: [LoginAttemptRow, ThrottlePolicy][] = [[own, pair.policy]];
      if (!known) for (const counter of others) rows.push([await locked(tables, counter, now), counter.policy]);
      const until = Math.max(...rows.map(([row]) => row.closed_until ?? 0));
      if (until > now)
        throw new TooManyRequests('There were too many wrong guesses; wait before the next one.', until - now);
      for (const [row, policy] of rows) {
        const wrong = row.at > now - memory ? row.wrong + 1 : 1;
        const delay = throttleDelay(policy, wrong);
        const set = { wrong, at: now, closed_until: delay === 0 ? null : now + delay };
        await tables.of(LoginAttempt).update([{ row, set }]);
      }
    });
  }

  /** The guess was right: it is taken back where it was counted. */
  async succeed(login: string, address: string): Promise<void> {
    await this.#store.transaction(actor, async (tables) => {
      const now = await tables.now();
      const [pair, ...others] = this.#counters(login, address);
      const own = await locked(tables, pair, now);
      const known = own.right_at !== null && own.right_at > now - lately;
      await tables
        .of(LoginAttempt)
        .update([{ row: own, set: { wrong: 0, closed_until: null, right_at: now, at: now } }]);
      if (known) return;
      for (const counter of others) {
        const row = await locked(tables, counter, now);
        await tables.of(LoginAttempt).update([{ row, set: { wrong: Math.max(0, row.wrong - 1), closed_until: null } }]);
      }
    });
  }

  /** Forgets what is too old to matter. @returns whether there is more. */
  async prune(tables: Tables): Promise<boolean> {
    const now = await tables.now();
    const old = [['at', '<', now - memory] as const];
    const never = { any: [[['right_at', '=', null]], [['right_at', '<', now - lately]]] } as const;
    const rows = await tables.of(LoginAttempt).find({ where: [...old, never], columns: ['id'], limit: mostForgotten });
    if (rows.length > 0) await tables.of(LoginAttempt).delete([['id', 'in', rows.map((row) => row.id)]]);
    return rows.length === mostForgotten;
  }

  #counters(login: string, address: string): [Counter, ...Counter[]] {
    const network = clientNetwork(address);
    const key = (...parts: string[]) => this.#digests.sha256(JSON.stringify(parts));
    return [
      { key: key('pair', login, network), policy: throttlePolicies.pair },
      { key: key('login', login), policy: throttlePolicies.login },
      { key: key('address', network), policy: throttlePolicies.address },
    ];
  }
}

async function locked(tables: Tables, { key }: Counter, now: Instant): Promise<LoginAttemptRow> {
  await tables.of(LoginAttempt).insertAbsent([newRow(LoginAttempt, { key, at: now })], ['key']);
  const [row] = await tables.of(LoginAttempt).find({ where: [['key', '=', key]], lock: 'wait' });
  return row as LoginAttemptRow;
}
