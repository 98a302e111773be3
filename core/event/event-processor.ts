import type { AuditedStore } from '../audit/audited-store.ts';
import { errorMessage, HorariumError } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { maxReason } from '../task/task.ts';
import { Event, type EventRow } from './event.ts';
import { type EventContext, processEvents } from './process-events.ts';

interface EventProcessorOptions extends EventContext {
  readonly store: AuditedStore;
  /** The maximum time between two polls of the store: other hosts may have written events. */
  readonly poll: Milliseconds;
}

const actor = trustedActor('event processor');
const batchSize = 200;
const pending: Where<EventRow> = [['state', '=', 'pending']];

/** Fires the rules that match pending events, oldest first, in batches of which each is one transaction. */
export class EventProcessor implements Ticker {
  readonly name = 'event processor';
  readonly #options: EventProcessorOptions;
  #isExpecting = false;

  constructor(options: EventProcessorOptions) {
    this.#options = options;
  }

  /** Tells that events were committed, so that the next tick need not look whether there are any. */
  expectEvents(): void {
    this.#isExpecting = true;
  }

  async tick(): Promise<Milliseconds> {
    const { store, poll } = this.#options;
    const isExpecting = this.#isExpecting;
    this.#isExpecting = false;
    if (!isExpecting && !(await store.readOnce((tables) => this.#isPending(tables)))) return poll;
    const batch = (tables: Tables) => this.#process(tables, batchSize);
    const hasMore = await store.transaction(actor, batch).catch((error: unknown) => this.#processSingly(error));
    return hasMore ? 0 : poll;
  }

  async #isPending(tables: Tables): Promise<boolean> {
    const found = await tables.of(Event).find({ where: pending, order: [['id', 'asc']], limit: 1, columns: ['id'] });
    return found.length > 0;
  }

  /** @returns whether there may be more; other transactions lock the others. */
  async #process(tables: Tables, limit: number, after = 0): Promise<boolean> {
    const where: Where<EventRow> = [...pending, ['id', '>', after]];
    const events = await tables.of(Event).find({ where, order: [['id', 'asc']], limit, lock: 'skip' });
    const done = await processEvents(tables, events, this.#options);
    return done < events.length || events.length === limit;
  }

  /**
   * Processes the events of a batch that failed one by one, and sets aside those that fail again, so that an event which
   * the store refuses blocks none behind it.
   * @throws the error of the batch where the store, or a key, was not available.
   */
  async #processSingly(failure: unknown): Promise<boolean> {
    if (isUnavailable(failure)) throw failure;
    const { store } = this.#options;
    const find = (tables: Tables) =>
      tables.of(Event).find({ where: pending, order: [['id', 'asc']], limit: batchSize, columns: ['id'] });
    const ids = (await store.readOnce(find)).map(({ id }) => id);
    for (const id of ids) {
      try {
        await store.transaction(actor, (tables) => this.#process(tables, 1, id - 1));
      } catch (error) {
        if (isUnavailable(error)) throw error;
        await store.transaction(actor, (tables) => setAside(tables, id, errorMessage(error)));
      }
    }
    return ids.length === batchSize;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HorariumError && error.code === 'unavailable';
}

async function setAside(tables: Tables, id: number, reason: string): Promise<void> {
  const [row] = await tables.of(Event).find({ where: [['id', '=', id], ...pending], lock: 'skip' });
  if (!row) return;
  const set = { state: 'set_aside' as const, reason: reason.slice(0, maxReason), attempts: row.attempts + 1 };
  await tables.of(Event).update([{ row, set }]);
}
