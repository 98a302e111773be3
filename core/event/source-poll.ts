import type { Clock, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { second } from '../time/duration.ts';
import type { ChangeBatch, OpenEventSource } from './event-source-kind.ts';

/** How long a source may take to be opened, and to be read once. */
const answerTimeout: Milliseconds = 30 * second;

/** How long a source may take to be closed. */
const closeTimeout: Milliseconds = 5 * second;

/** How many changes are read at once. */
const batchSize = 500;

/** How long the batches of one poll may take together; the rest follows in the next one. */
const pollTime: Milliseconds = 10 * second;

/** How often a poll looks whether there is room for another batch. */
const roomPoll: Milliseconds = 100;

/** The service stops: what was begun is no failure of the source. */
export class PollStopped extends Error {}

export interface SourcePollOptions {
  readonly clock: Clock;
  /** Aborts when the service stops. */
  readonly stopped: AbortSignal;
  /** Whether there is room for another batch. */
  hasRoom(): Promise<boolean>;
  /** Called with what a source has not ended although it was told to. */
  onHanging(work: Promise<unknown>): void;
}

/** What came of a poll that did not fail. */
export interface PollResult {
  /** Whether there may be more changes, to read at once. */
  readonly hasMore: boolean;
  /** What the administrator must know although the source could be read. */
  readonly warning: string | null;
}

/** One poll of one source: reads its batches, one after another, until there are none. */
export class SourcePoll {
  readonly #options: SourcePollOptions;

  constructor(options: SourcePollOptions) {
    this.#options = options;
  }

  /**
   * @param open connects to the source.
   * @param cursor where to go on.
   * @param store stores a batch that follows a cursor; false = another host has gone on from there, or it must not be read.
   * @throws what the source throws, an Error when it does not answer, and PollStopped.
   */
  async run(
    open: (signal: AbortSignal) => Promise<OpenEventSource>,
    cursor: string | null,
    store: (after: string | null, batch: ChangeBatch) => Promise<boolean>,
  ): Promise<PollResult> {
    const source = await this.#within(open, (late) => late.close());
    try {
      return await this.#readAll(source, cursor, store);
    } finally {
      await Promise.race([source.close().catch(() => undefined), this.#options.clock.sleep(closeTimeout)]);
    }
  }

  async #readAll(
    source: OpenEventSource,
    start: string | null,
    store: (after: string | null, batch: ChangeBatch) => Promise<boolean>,
  ): Promise<PollResult> {
    const { clock, stopped, hasRoom } = this.#options;
    const began = clock.elapsed();
    // The host may have died between a commit and its acknowledgement.
    let untold = await this.#acknowledge(source, start);
    for (let cursor = start; ; ) {
      const after = cursor;
      const batch = await this.#within((signal) => source.read(after, batchSize, signal));
      assertBatch(batch);
      const warning = [batch.warning, untold].filter(Boolean).join('; ') || null;
      const isSame = batch.cursor === cursor;
      if (batch.changes.length === 0 && isSame) return { hasMore: false, warning };
      if (!(await store(cursor, batch))) return { hasMore: false, warning };
      cursor = batch.cursor;
      untold = await this.#acknowledge(source, cursor);
      if (batch.changes.length === 0 || isSame) return { hasMore: false, warning };
      await yieldToEventLoop();
      const isOver = () => clock.elapsed() - began >= pollTime || stopped.aborted;
      while (!isOver() && !(await hasRoom())) await clock.sleep(roomPoll, stopped);
      if (isOver()) return { hasMore: true, warning };
    }
  }

  /** @returns why the source could not be told; null when it was, or takes no acknowledgement. */
  async #acknowledge(source: OpenEventSource, cursor: string | null): Promise<string | null> {
    if (!source.acknowledge || cursor === null) return null;
    try {
      await this.#within(async (signal) => source.acknowledge?.(cursor, signal));
      return null;
    } catch (error) {
      if (error instanceof PollStopped) throw error;
      return `its changes are stored, but it could not be told: ${(error as Error)?.message ?? error}`;
    }
  }

  /**
   * Waits for a source, but not for ever.
   * @param onLate is given what it returns although nothing waits for it any more.
   */
  async #within<T>(
    work: (signal: AbortSignal) => Promise<T>,
    onLate: (result: T) => Promise<void> | void = () => {},
  ): Promise<T> {
    const { clock, stopped, onHanging } = this.#options;
    if (stopped.aborted) throw new PollStopped('the service stops');
    const abort = new AbortController();
    const timer = new AbortController();
    const stop = Promise.withResolvers<PollStopped>();
    const onStop = () => stop.resolve(new PollStopped('the service stops'));
    stopped.addEventListener('abort', onStop);
    const late = clock
      .sleep(answerTimeout, timer.signal)
      .then(() => new Error(`it did not answer within ${answerTimeout / second} s`));
    // An async function also catches what a plugin throws before it returns a promise.
    const running = (async () => ({ result: await work(abort.signal) }))();
    try {
      const first = await Promise.race([running, late, stop.promise]);
      if (!(first instanceof Error)) return first.result;
      abort.abort(first);
      onHanging(
        running.then(
          ({ result }) => onLate(result),
          () => undefined,
        ),
      );
      throw first;
    } finally {
      timer.abort();
      stopped.removeEventListener('abort', onStop);
    }
  }
}

/** @throws Error for a batch that the plugin has changed into something else. */
function assertBatch(batch: ChangeBatch): void {
  const isList = Array.isArray(batch?.changes) && batch.changes.length <= batchSize;
  const { cursor } = batch ?? {};
  if (!isList || !(cursor === null || (typeof cursor === 'string' && cursor !== '' && cursor.length <= 1024)))
    throw new Error('its plugin returned no batch of changes with a cursor');
}
