import type { Instant, Milliseconds } from '../loop/clock.ts';
import { minute, second } from '../time/duration.ts';

/** How long a record is locked before that is noticed: other transactions of the service lock some for a moment. */
const patience: Milliseconds = 5 * second;
const interval: Milliseconds = minute;
/** A lock that was not met for so long was released meanwhile. */
const memory: Milliseconds = 10 * second;

interface Lock {
  readonly since: Instant;
  seen: Instant;
  noticed: Instant;
}

/** Remembers which records other transactions have locked, so that each is noticed when that lasts, once a minute. */
export class LockNotices {
  readonly #locks = new Map<string, Lock>();

  /** @returns what to tell of the record, if it is time for that. */
  meet(record: string, now: Instant): string | undefined {
    const known = this.#locks.get(record);
    const lock =
      known && now - known.seen < memory ? known : { since: now, seen: now, noticed: Number.NEGATIVE_INFINITY };
    lock.seen = now;
    this.#locks.set(record, lock);
    if (now - lock.since < patience || now - lock.noticed < interval) return undefined;
    lock.noticed = now;
    for (const [name, { seen }] of this.#locks) if (now - seen >= memory) this.#locks.delete(name);
    const seconds = Math.round((now - lock.since) / second);
    return `another transaction has locked ${record} for ${seconds} s; windows that need it are scheduled once the lock is released`;
  }
}
