import type { AuditedStore } from '../audit/audited-store.ts';
import { errorMessage, notFound, StaleRow } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Options } from '../records/plugin-options.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { minute, second } from '../time/duration.ts';
import type { LoginThrottle } from '../user/login-throttle.ts';
import { Event, type EventRow } from './event.ts';
import { EventSource, type EventSourceRow } from './event-source.ts';
import type { SourceChange } from './event-source-kind.ts';
import { newSourceEvents } from './source-events.ts';
import { maskedMessage, optionsOf, type SourceKinds } from './source-options.ts';

export interface ReceivedChangesContext extends SourceKinds {
  readonly store: AuditedStore;
  /** Called after the commit of events that are pending. */
  onEvents(): void;
  /** Slows those down who send what is refused. */
  readonly throttle: Pick<LoginThrottle, 'begin' | 'isClosed'>;
}

/** When a change is received, and whether its sender has sent too much that was refused. */
export interface Receipt {
  readonly now: Instant;
  readonly isThrottled: boolean;
}

/**
 * Verifies who sends a change, and returns what reads it. What fails before it is known who sends counts as a guess of a
 * key; what fails afterwards does not.
 */
export type ChangeJudge = (options: Options, receipt: Receipt) => Promise<() => SourceChange>;

/** How often a source stores a refusal at most, and that a change was received. */
const refusalInterval: Milliseconds = 10 * second;
const receiptInterval: Milliseconds = minute;

/** Takes the changes that are sent to sources of kinds that are not read. */
export class ReceivedChanges {
  readonly #context: ReceivedChangesContext;
  /** When refusals were last stored, by source. */
  readonly #refusedAt = new LruCache<Instant>(1000);

  constructor(context: ReceivedChangesContext) {
    this.#context = context;
  }

  /** As `EventSources.receive`. */
  async receive(
    origin: Actor,
    { kind, name }: { readonly kind: string; readonly name: string },
    judge: ChangeJudge,
  ): Promise<number> {
    const { store, throttle } = this.#context;
    const { network } = origin;
    const guessed = `${kind} ${name}`;
    const refuse = async (error: unknown): Promise<never> => {
      if (network !== null) await throttle.begin(guessed, network);
      throw error;
    };
    const where: Where<EventSourceRow> = [['name', '=', name]];
    const { row, receipt } = await store.read(async (tables) => ({
      row: (await tables.of(EventSource).find({ where }))[0],
      receipt: {
        now: await tables.now(),
        isThrottled: network !== null && (await throttle.isClosed(tables, guessed, network)),
      },
    }));
    const { now } = receipt;
    if (!row?.enabled || row.kind !== kind) return refuse(notFound('event source', 'of this name to send to'));
    const noteRefusal = async (error: unknown): Promise<never> => {
      await this.#noteRefusal(origin, row, error, now);
      throw error;
    };
    const read = await this.#judge(row, receipt, judge).catch(noteRefusal).catch(refuse);
    const change = await Promise.resolve().then(read).catch(noteRefusal);
    const actor = { ...trustedActor('event sources', origin.channel), ip: origin.ip, requestId: origin.requestId };
    return store.transaction(actor, async (tables) => {
      const [event] = await newSourceEvents(tables, row, [change]);
      if (event) tables.afterCommit(() => this.#context.onEvents());
      const { id } = event ?? (await storedEvent(tables, row.id, change.key));
      if (row.last_error !== null || (row.last_polled_at ?? 0) < now - receiptInterval)
        await tables.of(EventSource).updateWhere([['id', '=', row.id]], { last_error: null, last_polled_at: now });
      return id;
    });
  }

  /** @throws HorariumError that refuses the change. */
  async #judge(row: EventSourceRow, receipt: Receipt, judge: ChangeJudge): Promise<() => SourceChange> {
    const kind = this.#context.kinds.get(row.kind);
    if (!kind) throw notFound('event source', 'of this name to send to');
    return judge(optionsOf(this.#context.vault, kind, row), receipt);
  }

  /** Shows the operator what was refused last, but not more often than people look. */
  async #noteRefusal({ ip }: Actor, row: EventSourceRow, error: unknown, now: Instant): Promise<void> {
    // Errors that name themselves say nothing internal.
    const isNamed = typeof (error as { readonly code?: unknown } | null)?.code === 'string';
    if (!isNamed || now - (this.#refusedAt.get(`${row.id}`) ?? 0) < refusalInterval) return;
    this.#refusedAt.set(`${row.id}`, now);
    const message = await maskedMessage({ options: {} }, {}, errorMessage(error));
    const last_error = `a request${ip === null ? '' : ` from ${ip}`} was refused: ${message}`.slice(0, 1000);
    await this.#context.store.transaction(trustedActor('event sources'), (tables) =>
      tables.of(EventSource).updateWhere([['id', '=', row.id]], { last_error }),
    );
  }
}

/** Finds the event of a change that was received before. */
async function storedEvent(tables: Tables, sourceId: number, key: string): Promise<Pick<EventRow, 'id'>> {
  const where: Where<EventRow> = [
    ['event_source_id', '=', sourceId],
    ['key', '=', key],
  ];
  const [event] = await tables.of(Event).find({ where, columns: ['id'] });
  // Another transaction has just committed it; the next attempt sees it.
  if (!event) throw new StaleRow(EventSource.name, sourceId);
  return event;
}
