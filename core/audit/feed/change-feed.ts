import { HorariumError } from '../../errors.ts';
import type { Clock, Milliseconds } from '../../loop/clock.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { AuditedStore } from '../audited-store.ts';
import { endOfLog, type LogPosition, type ReadChanges, readChanges } from './read-changes.ts';
import { type FeedBatch, Subscriber } from './subscriber.ts';

export interface ChangeFeedOptions {
  readonly store: AuditedStore;
  readonly clock: Clock;
  /** The maximum time between two reads while there are subscribers: other processes may have changed records in it. */
  readonly poll: Milliseconds;
  /** Aborts when the core stops. */
  readonly stopped: AbortSignal;
}

export interface SubscribeOptions {
  /** Ends the iteration. @default it ends when the core stops */
  readonly signal?: AbortSignal | undefined;
  /** Goes on behind this entry of the sealed chain. @default the end of the log when the call is made */
  readonly after?: number | undefined;
  /** How many entries behind the end of the log a subscriber catches up with; one that is further behind is reset. @default any */
  readonly maxBehind?: number;
  /** An empty batch is yielded at the start, and after so long without a change. @default never */
  readonly quiet?: Milliseconds;
}

/** How long a read waits for more commits after the first one, so that a burst of them is read at once. */
const gatherTime: Milliseconds = 50;
/** How long a subscriber sleeps at once that asks for no empty batches. */
const longSleep: Milliseconds = 3_600_000;

/**
 * Gives the changes of all records to any number of subscribers as they are committed, whichever process made them. One reader
 * reads the audit log for all of them, and reads nothing while there are none.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #subscribers = new Set<Subscriber>();
  #waiting = new AbortController();
  #isReading = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /** Has the log read at once: another process may have changed records. */
  readonly wake = (): void => {
    this.#waiting.abort('woken');
  };

  /**
   * Yields every change that is committed after the first read of the store, which the call begins: once, and those of one
   * record in order. The iteration ends when the signal aborts or the core stops.
   */
  subscribe(options: SubscribeOptions = {}): AsyncGenerator<FeedBatch, void> {
    const { after } = options;
    const start = after === undefined ? this.#options.store.read(endOfLog) : Promise.resolve(positionAfter(after));
    // The error is thrown by the first step of the iteration, which may never be made.
    start.catch(() => undefined);
    return this.#subscribe(start, options);
  }

  async *#subscribe(start: Promise<LogPosition>, { signal, maxBehind = Infinity, quiet }: SubscribeOptions) {
    const { clock, stopped } = this.#options;
    const ends = signal ? [signal, stopped] : [stopped];
    const isOver = this.#isOver({ signal });
    const subscriber = new Subscriber(await start, maxBehind);
    for (const end of ends) end.addEventListener('abort', subscriber.wake);
    this.#subscribers.add(subscriber);
    try {
      this.#look();
      if (quiet !== undefined) yield emptyBatch(subscriber);
      while (!isOver()) {
        await yieldToEventLoop();
        if (isOver()) return;
        const wasFull = subscriber.isFull;
        const batch = subscriber.take();
        if (wasFull) this.wake();
        if (batch) yield batch;
        else if (!(await subscriber.wait(clock, quiet ?? longSleep)) && quiet !== undefined)
          yield emptyBatch(subscriber);
      }
    } finally {
      this.#subscribers.delete(subscriber);
      for (const end of ends) end.removeEventListener('abort', subscriber.wake);
      if (this.#subscribers.size === 0) this.wake();
    }
  }

  /**
   * Yields what some work makes of each batch, item by item. The work is done again while the store is unavailable.
   */
  watch<T>(work: (batch: FeedBatch) => Promise<readonly T[]>, options: SubscribeOptions): AsyncGenerator<T, void> {
    return this.#watch(this.subscribe(options), work, options);
  }

  async *#watch<T>(
    batches: AsyncGenerator<FeedBatch, void>,
    work: (batch: FeedBatch) => Promise<readonly T[]>,
    options: SubscribeOptions,
  ) {
    const isOver = this.#isOver(options);
    for await (const batch of batches) {
      let items = await unlessUnavailable(() => work(batch));
      while (!items && !isOver()) {
        await this.#options.clock.sleep(this.#options.poll, options.signal ?? this.#options.stopped);
        items = await unlessUnavailable(() => work(batch));
      }
      for (const item of items ?? []) {
        if (isOver()) return;
        yield item;
      }
    }
  }

  #isOver({ signal }: Pick<SubscribeOptions, 'signal'>): () => boolean {
    const { stopped } = this.#options;
    return () => stopped.aborted || signal?.aborted === true;
  }

  /** Starts the reader, or wakes it. */
  #look(): void {
    if (this.#isReading) this.wake();
    else void this.#read();
  }

  async #read(): Promise<void> {
    const { store, clock, poll, stopped } = this.#options;
    this.#isReading = true;
    const removeObserver = store.onCommit(this.wake);
    stopped.addEventListener('abort', this.wake);
    try {
      while (this.#subscribers.size > 0 && !stopped.aborted) {
        await yieldToEventLoop();
        // A commit during the read wakes the wait that follows it.
        this.#waiting = new AbortController();
        if (await this.#readNext()) continue;
        const { signal } = this.#waiting;
        await clock.sleep(poll, signal);
        if (signal.aborted) await clock.sleep(gatherTime, stopped);
      }
    } catch (error) {
      for (const subscriber of this.#subscribers) subscriber.fail(error);
      this.#subscribers.clear();
    } finally {
      removeObserver();
      stopped.removeEventListener('abort', this.wake);
      this.#isReading = false;
    }
  }

  /**
   * Reads what the subscribers have not got, in one snapshot: those that have got the same share what is read.
   * @returns whether there is more to read; false also while the store is unavailable, so that an interruption loses nothing.
   */
  async #readNext(): Promise<boolean> {
    const subscribers = [...this.#subscribers].filter(({ isFull }) => !isFull);
    if (subscribers.length === 0) return false;
    const read = await this.#readOf(subscribers.map(({ position }) => position));
    if (!read) return false;
    let hasMore = false;
    for (const subscriber of subscribers) {
      const changes = read.changes.get(keyOf(subscriber.position)) as ReadChanges;
      if (subscriber.isLost(read.end, changes.hasGap)) subscriber.reset(read.end);
      else subscriber.push(changes);
      hasMore ||= subscriber.position !== read.end;
    }
    return hasMore;
  }

  async #readOf(positions: readonly LogPosition[]) {
    const distinct = new Map(positions.map((position) => [keyOf(position), position]));
    const read = () =>
      this.#options.store.read(async (tables) => {
        const end = await endOfLog(tables);
        const changes = new Map<unknown, ReadChanges>();
        for (const [key, position] of distinct) {
          await yieldToEventLoop();
          changes.set(key, await readChanges(tables, position, end));
        }
        return { end, changes };
      });
    return unlessUnavailable(read);
  }
}

/** Does some work with the store. @returns null while it is unavailable. */
async function unlessUnavailable<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HorariumError && error.code === 'unavailable') return null;
    throw error;
  }
}

function emptyBatch({ position }: Subscriber): FeedBatch {
  return { changes: [], isReset: false, after: position.seq };
}

function positionAfter(seq: number): LogPosition {
  return { seq, read: new Set() };
}

/** What positions have in common that are the same: subscribers that begin behind one entry, or have got all there was. */
function keyOf(position: LogPosition): unknown {
  return position.read.size === 0 ? position.seq : position;
}
