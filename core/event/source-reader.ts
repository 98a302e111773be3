import type { AuditedStore } from '../audit/audited-store.ts';
import { errorMessage } from '../errors.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { hour, minute, second } from '../time/duration.ts';
import { Event } from './event.ts';
import { EventSource, type EventSourceRow } from './event-source.ts';
import type { ChangeBatch, EventSourceKind } from './event-source-kind.ts';
import { newSourceEvents } from './source-events.ts';
import { maskedMessage, optionsOf, type SourceKinds } from './source-options.ts';
import { type PollResult, PollStopped, SourcePoll } from './source-poll.ts';

interface EventSourceReaderOptions extends SourceKinds {
  readonly store: AuditedStore;
  readonly clock: Clock;
  /** Called after the commit of a batch that has new events. */
  onEvents(): void;
  /** The maximum time between two looks for sources that are due: other hosts may have changed them. */
  readonly poll: Milliseconds;
  /** A poll could not be noted; the source is read again when the claim has expired. */
  onError(ticker: string, error: unknown, wait: Milliseconds): void;
}

const actor = trustedActor('event sources');

/** How long a source stays with a host that does not renew its claim, because it has died. */
const claimTime: Milliseconds = 10 * second;
const renewInterval: Milliseconds = 3 * second;
/** The longest wait before a source that fails is tried again, unless its interval is longer. */
const maxBackoff: Milliseconds = 15 * minute;
/** When a source is looked at again to which changes are sent. */
const pushedWait: Milliseconds = 24 * hour;
/** How many sources one host reads at once; of those that failed at most half as many, so that they delay no other. */
const maxPolls = 256;
const maxError = 1000;
/** How many events are pending while a source waits with its further batches. */
const maxPending = 1000;

/** A source that a host has claimed. */
interface Claim {
  readonly row: EventSourceRow;
  readonly at: Instant;
  /** What the host has set as the next poll, so that others leave it alone. */
  until: Instant;
}

/** A poll that is under way. */
interface Poll {
  readonly claim: Claim;
  readonly done: Promise<void>;
}

/**
 * Reads the event sources that are due, each in a poll of its own, so that one that hangs delays no other. A host claims a
 * source by putting its next poll ahead. The events of a batch of changes and the cursor are committed together, if the
 * cursor is still where the batch begins, and the jobs of an event with its state: each change fires once, whatever dies when.
 */
export class EventSourceReader implements Ticker {
  readonly name = 'event sources';
  readonly #options: EventSourceReaderOptions;
  readonly #stopped = new AbortController();
  readonly #polls = new Map<number, Poll>();
  /** What sources do although they were given up. */
  readonly #hanging = new Map<number, Promise<unknown>>();
  #renewedAt: Milliseconds = 0;

  constructor(options: EventSourceReaderOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, poll } = this.#options;
    await this.#renewClaims();
    const failing = [...this.#polls.values()].filter(({ claim: { row } }) => row.failures > 0).length;
    const room = maxPolls - this.#polls.size;
    if (room <= 0 || this.#stopped.signal.aborted) return poll;
    const where: Where<EventSourceRow> = [
      ['enabled', '=', true],
      ...(failing >= maxPolls / 2 ? [['failures', '=', 0] as const] : []),
    ];
    const { candidates, now } = await store.read(async (tables) => ({
      now: await tables.now(),
      candidates: await tables.of(EventSource).find({
        where,
        order: [['next_poll_at', 'asc']],
        limit: room + 1,
        columns: ['id', 'next_poll_at'],
      }),
    }));
    const due = candidates.filter(({ id, next_poll_at }) => next_poll_at <= now && !this.#polls.has(id));
    const next = candidates.find(({ next_poll_at }) => next_poll_at > now)?.next_poll_at;
    const wait = next === undefined ? poll : Math.min(poll, next - now);
    if (due.length === 0) return wait;
    const ids = due.slice(0, room).map(({ id }) => id);
    const claimed = await store.transaction(actor, (tables) => claim(tables, ids));
    for (const each of claimed) this.#start(each);
    return due.length > room ? 0 : wait;
  }

  /** Gives up what is read now, and starts nothing more. */
  async stop(): Promise<void> {
    this.#stopped.abort('stopped');
    await Promise.all([...this.#polls.values()].map(({ done }) => done));
  }

  /** Keeps what is read from other hosts. */
  async #renewClaims(): Promise<void> {
    const { store, clock } = this.#options;
    const claims = [...this.#polls.values()].map(({ claim }) => claim);
    if (claims.length === 0 || clock.elapsed() - this.#renewedAt < renewInterval) return;
    this.#renewedAt = clock.elapsed();
    // A poll that has ended meanwhile has set another time.
    const where: Where<EventSourceRow> = [
      ['id', 'in', claims.map(({ row }) => row.id)],
      ['next_poll_at', 'in', [...new Set(claims.map(({ until }) => until))]],
    ];
    const until = await store.transaction(actor, async (tables) => {
      const next_poll_at = (await tables.now()) + claimTime;
      await tables.of(EventSource).updateWhere(where, { next_poll_at });
      return next_poll_at;
    });
    for (const claim of claims) claim.until = until;
  }

  #start(claim: Claim): void {
    const { id } = claim.row;
    const done = this.#poll(claim)
      .catch((error: unknown) => this.#options.onError(this.name, error, claimTime))
      .finally(() => this.#polls.delete(id));
    this.#polls.set(id, { claim, done });
  }

  async #poll(claim: Claim): Promise<void> {
    const { row, at: claimedAt } = claim;
    const kind = this.#options.kinds.get(row.kind);
    if (kind && !kind.open) return this.#note(row, { next_poll_at: claimedAt + pushedWait });
    const interval = row.poll_interval * second;
    try {
      const { hasMore, warning } = await this.#read(claim, kind);
      await this.#note(row, {
        last_polled_at: claimedAt,
        last_error: warning?.slice(0, maxError) ?? null,
        failures: 0,
        next_poll_at: hasMore ? claimedAt : claimedAt + interval,
      });
    } catch (error) {
      if (error instanceof PollStopped) return this.#note(row, { next_poll_at: claimedAt });
      const failures = row.failures + 1;
      const wait = Math.max(interval, Math.min(interval * 2 ** Math.min(failures - 1, 20), maxBackoff));
      const tries = failures === 1 ? '' : `${failures} times in a row, `;
      const note = ` (${tries}tried again in ${wait / second} s)`;
      await this.#note(row, {
        last_polled_at: claimedAt,
        last_error: errorMessage(error).slice(0, maxError - note.length) + note,
        failures,
        next_poll_at: claimedAt + wait,
      });
    }
  }

  /** @throws Error whose message tells the administrator why it cannot be read. */
  async #read(claim: Claim, kind: EventSourceKind | undefined): Promise<PollResult> {
    const { row } = claim;
    if (!kind) throw new Error(missingExtension('event source kind', row.kind, this.#options.kinds.keys()));
    if (this.#hanging.has(row.id)) throw new Error('an earlier read of it has not ended');
    const { store, clock, vault } = this.#options;
    const options = optionsOf(vault, kind, row);
    const onHanging = (work: Promise<unknown>) => {
      this.#hanging.set(row.id, work);
      void work.catch(() => undefined).then(() => this.#hanging.delete(row.id));
    };
    const hasRoom = () => store.readOnce(hasRoomForEvents);
    const poll = new SourcePoll({ clock, stopped: this.#stopped.signal, onHanging, hasRoom });
    const open = async (signal: AbortSignal) => {
      const source = await kind.open?.(options, signal);
      if (!source) throw new Error('its plugin opened nothing');
      return source;
    };
    try {
      const result = await poll.run(open, row.cursor, (after, batch) => this.#store(claim, after, batch));
      const { warning } = result;
      return { ...result, warning: warning === null ? null : await maskedMessage(kind, options, warning) };
    } catch (error) {
      if (error instanceof PollStopped) throw error;
      throw new Error(await maskedMessage(kind, options, error), { cause: error });
    }
  }

  /** Stores a batch. @returns false when the source has changed, or another host has stored it. */
  async #store(claim: Claim, after: string | null, { changes, cursor }: ChangeBatch): Promise<boolean> {
    const { id, revision } = claim.row;
    const where: Where<EventSourceRow> = [['id', '=', id]];
    const { store, onEvents } = this.#options;
    const until = await store.transaction(actor, async (tables) => {
      const columns = ['revision', 'enabled', 'cursor'] as const;
      const [current] = await tables.of(EventSource).find({ where, columns, lock: 'wait' });
      if (!current?.enabled || current.revision !== revision || current.cursor !== after) return null;
      const events = await newSourceEvents(tables, { id }, changes);
      if (events.length > 0) tables.afterCommit(onEvents);
      const next_poll_at = (await tables.now()) + claimTime;
      await tables.of(EventSource).updateWhere(where, { cursor, next_poll_at });
      return next_poll_at;
    });
    claim.until = until ?? claim.until;
    return until !== null;
  }

  /** Notes what came of a poll, unless the source was saved meanwhile: then it is due at once. */
  async #note({ id, revision }: EventSourceRow, set: Partial<EventSourceRow>): Promise<void> {
    const where: Where<EventSourceRow> = [
      ['id', '=', id],
      ['revision', '=', revision],
    ];
    await this.#options.store.transaction(actor, (tables) => tables.of(EventSource).updateWhere(where, set));
  }
}

/**
 * Whether few enough events of all sources and chains are pending to store more of one source at once: what one source has in
 * store waits there, and not before the events of others.
 */
async function hasRoomForEvents(tables: Tables): Promise<boolean> {
  return (await tables.of(Event).count([['state', '=', 'pending']], maxPending)) < maxPending;
}

/** Claims those of the sources that are still due, which no other host claims meanwhile. */
async function claim(tables: Tables, ids: readonly number[]): Promise<Claim[]> {
  const at = await tables.now();
  const where: Where<EventSourceRow> = [
    ['id', 'in', ids],
    ['enabled', '=', true],
    ['next_poll_at', '<=', at],
  ];
  const rows = await tables.of(EventSource).find({ where, lock: 'skip' });
  const claimed: Where<EventSourceRow> = [['id', 'in', rows.map(({ id }) => id)]];
  const until = at + claimTime;
  await tables.of(EventSource).updateWhere(claimed, { next_poll_at: until });
  return rows.map((row) => ({ row, at, until }));
}

/** Has a source that was saved polled at once; one of another kind is read from its beginning. */
export async function pollAfterSave(
  { before, after }: { readonly before: EventSourceRow | undefined; readonly after: EventSourceRow | undefined },
  tables: Tables,
): Promise<void> {
  if (!after) return;
  const isOther = before !== undefined && before.kind !== after.kind;
  const set = { next_poll_at: 0, failures: 0, ...(isOther && { cursor: null, last_error: null }) };
  await tables.of(EventSource).updateWhere([['id', '=', after.id]], set);
}
