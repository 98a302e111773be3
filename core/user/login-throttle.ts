import type { AuditedStore } from '../audit/audited-store.ts';
import { TooManyRequests } from '../errors.ts';
import { count, instant, text } from '../field/fields.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { trustedActor } from '../resource/actor.ts';
import { deleteBatch, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';
import { day, minute, second } from '../time/duration.ts';
import type { Digests } from './digests.ts';

/** A counter of failed attempts to log in: for one login from one network, for one login, or from one network. */
export const LoginAttempt = defineBookkeeping({
  name: 'LoginAttempt',
  fields: {
    /** The SHA-256 of what is counted, because a text that is typed in place of a login may be a password. */
    key: text(64, { unique: true }).required(),
    /** Failed attempts since the last successful one, and those that are being verified at this moment. */
    failures: count(0),
    /** The time before which no attempt is accepted; null accepts the next one. */
    closed_until: instant(),
    last_success_at: instant(),
    last_attempt_at: instant({ indexed: true }).required(),
  },
});
export type LoginAttemptRow = RowOfTable<typeof LoginAttempt>;

/** The growth of the delay with the number of failed attempts. */
export interface ThrottlePolicy {
  /** The number of failed attempts without a delay, because people mistype. */
  readonly undelayed: number;
  /** The delay after the first failed attempt beyond those. */
  readonly minDelay: Milliseconds;
  /** The number of further failed attempts that double the delay. */
  readonly doubledAfter: number;
  readonly maxDelay: Milliseconds;
}

/**
 * The policies of the three counters. One login from one network is slowed down first. A login may be attacked from
 * many networks, and many people may come from one, so those limits come later and grow more slowly.
 */
export const throttlePolicies = {
  pair: { undelayed: 5, minDelay: second, doubledAfter: 1, maxDelay: 15 * minute },
  login: { undelayed: 20, minDelay: second, doubledAfter: 3, maxDelay: 5 * minute },
  network: { undelayed: 50, minDelay: second, doubledAfter: 5, maxDelay: 5 * minute },
} satisfies Record<string, ThrottlePolicy>;

/** Returns the time after a number of failed attempts in which no further one is accepted. */
export function throttleDelay(policy: ThrottlePolicy, failures: number): Milliseconds {
  const { undelayed, minDelay, doubledAfter, maxDelay } = policy;
  if (failures <= undelayed) return 0;
  return Math.min(maxDelay, minDelay * 2 ** Math.min(40, Math.floor((failures - undelayed - 1) / doubledAfter)));
}

/** The time for which a pair of login and network that has succeeded skips the limits of its login and its network. */
const knownFor: Milliseconds = 30 * day;
/** The time after which failed attempts do not count any more. */
const countedFor: Milliseconds = day;
const maxPruned = 500;
const actor = trustedActor('sign-in');

interface Counter {
  readonly key: string;
  readonly policy: ThrottlePolicy;
}

/**
 * Slows down attempts to find passwords: the more of them fail, the longer until the next one is accepted. They are
 * counted by login and network together, more patiently by login and by network; all hosts share the counters.
 */
export class LoginThrottle {
  readonly #store: AuditedStore;
  readonly #digests: Pick<Digests, 'sha256'>;

  constructor(store: AuditedStore, digests: Pick<Digests, 'sha256'>) {
    this.#store = store;
    this.#digests = digests;
  }

  /**
   * Counts an attempt and checks that it may be made. It must be called before the password is verified: the attempt
   * counts as failed until `succeed`, so that attempts at the same time do not evade the limit.
   * @returns whether this login has succeeded from this network lately.
   * @throws TooManyRequests while no further attempt is accepted.
   */
  async begin(login: string, network: string): Promise<boolean> {
    return this.#store.transaction(actor, async (tables) => {
      const now = await tables.now();
      const [pair, ...others] = this.#counters(login, network);
      const pairRow = await lockCounter(tables, pair, now);
      const rows: [LoginAttemptRow, ThrottlePolicy][] = [[pairRow, pair.policy]];
      if (!isKnown(pairRow, now))
        for (const counter of others) rows.push([await lockCounter(tables, counter, now), counter.policy]);
      const until = Math.max(...rows.map(([row, policy]) => closedUntil(row, policy, now)));
      if (until > now)
        throw new TooManyRequests('There were too many failed attempts; wait before the next one.', until - now);
      for (const [row, policy] of rows) {
        const failures = row.last_attempt_at > now - countedFor ? row.failures + 1 : 1;
        const delay = throttleDelay(policy, failures);
        const set = { failures, last_attempt_at: now, closed_until: delay === 0 ? null : now + delay };
        await tables.of(LoginAttempt).update([{ row, set }]);
      }
      return isKnown(pairRow, now);
    });
  }

  /** Whether an attempt would be refused now; counts none. */
  async isClosed(tables: Tables, login: string, network: string): Promise<boolean> {
    const now = await tables.now();
    const [pair, ...others] = this.#counters(login, network);
    const keys = [pair, ...others].map(({ key }) => key);
    const rows = await tables.of(LoginAttempt).find({ where: [['key', 'in', keys]] });
    const isClosed = ({ key, policy }: Counter) =>
      rows.some((row) => row.key === key && closedUntil(row, policy, now) > now);
    const isPairKnown = rows.some((row) => row.key === pair.key && isKnown(row, now));
    return isClosed(pair) || (!isPairKnown && others.some(isClosed));
  }

  /** Reverts the count of `begin`, because the password was right. */
  async succeed(login: string, network: string): Promise<void> {
    await this.#store.transaction(actor, async (tables) => {
      const now = await tables.now();
      const [pair, ...others] = this.#counters(login, network);
      const pairRow = await lockCounter(tables, pair, now);
      const set = { failures: 0, closed_until: null, last_success_at: now, last_attempt_at: now };
      await tables.of(LoginAttempt).update([{ row: pairRow, set }]);
      if (isKnown(pairRow, now)) return;
      for (const counter of others) {
        const row = await lockCounter(tables, counter, now);
        await tables
          .of(LoginAttempt)
          .update([{ row, set: { failures: Math.max(0, row.failures - 1), closed_until: null } }]);
      }
    });
  }

  /** Deletes counters that are too old to matter. @returns whether there are more. */
  async prune(tables: Tables): Promise<boolean> {
    const now = await tables.now();
    const old = [['last_attempt_at', '<', now - countedFor] as const];
    const unknown = { any: [[['last_success_at', '=', null]], [['last_success_at', '<', now - knownFor]]] } as const;
    return deleteBatch(tables.of(LoginAttempt), [...old, unknown], maxPruned);
  }

  #counters(login: string, network: string): [Counter, ...Counter[]] {
    const key = (...parts: string[]) => this.#digests.sha256(JSON.stringify(parts));
    return [
      { key: key('pair', login, network), policy: throttlePolicies.pair },
      { key: key('login', login), policy: throttlePolicies.login },
      { key: key('address', network), policy: throttlePolicies.network },
    ];
  }
}

/** Returns the time before which no attempt is accepted; one beyond every delay was set before the clock was set back. */
function closedUntil({ closed_until }: LoginAttemptRow, { maxDelay }: ThrottlePolicy, now: Instant): Instant {
  return closed_until === null || closed_until > now + maxDelay ? 0 : closed_until;
}

/** Whether a pair of login and network succeeded lately. */
function isKnown({ last_success_at }: LoginAttemptRow, now: Instant): boolean {
  return last_success_at !== null && last_success_at > now - knownFor;
}

async function lockCounter(tables: Tables, { key }: Counter, now: Instant): Promise<LoginAttemptRow> {
  await tables.of(LoginAttempt).insertAbsent([newRow(LoginAttempt, { key, last_attempt_at: now })], ['key']);
  const [row] = await tables.of(LoginAttempt).find({ where: [['key', '=', key]], lock: 'wait' });
  return required(row, `LoginAttempt ${key}`);
}
