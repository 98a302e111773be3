import type { ChangeBatch, EventSourceKind, OpenEventSource, SourceChange } from '../../event/event-source-kind.ts';
import type { Clock, Milliseconds } from '../../loop/clock.ts';
import { assert } from '../clause.ts';

/** The options of an event source, complete and decrypted. */
export type SourceOptions = Readonly<Record<string, unknown>>;

/** A kind and sources of that kind. The author provides them, because only the kind knows what its options mean. */
export interface EventSourcesUnderTest {
  readonly kind: EventSourceKind;
  /** The options of a source that has events, and lets them be read. */
  readonly readable: SourceOptions;
  /** The options of sources whose events cannot be read, each for a reason of its own. */
  readonly unreadable: readonly SourceOptions[];
  /** The options of sources that make the kind wait: they accept a connection and do not respond, or are locked. */
  readonly unresponsive: readonly SourceOptions[];
  /** Reads all events of the readable source by other means than the kind. */
  events(): Promise<readonly unknown[]>;
  /** Adds an event to the readable source; required of a kind that is read. */
  addEvent?(): Promise<void>;
  /** Counts what the kind holds open: the connections to all these sources, or their open files. */
  connections(): Promise<number> | number;
  /** Removes what was made for the check. */
  close?(): Promise<void> | void;
}

/** The time in which a kind must close what it opened. */
const timeLimit: Milliseconds = 5000;

/** The most batches that a check reads: far more than the events of its source. */
const maxBatches = 1000;

const never = new AbortController().signal;

/** The sources of one check, and what it does with them. */
export class CheckedSources {
  readonly sources: EventSourcesUnderTest;
  readonly #clock: Clock;

  constructor(sources: EventSourcesUnderTest, clock: Clock) {
    this.sources = sources;
    this.#clock = clock;
  }

  /** Probes a source. An async function, because a kind may throw before it returns a promise. */
  async probe(options: SourceOptions, signal: AbortSignal = never): Promise<void> {
    await this.sources.kind.probe(options, signal);
  }

  async open(options = this.sources.readable, signal: AbortSignal = never): Promise<OpenEventSource> {
    const { kind } = this.sources;
    assert(kind.open !== undefined, 'A kind that is read must have open');
    return kind.open(options, signal);
  }

  /** Opens a source, reads one batch and closes it again. */
  async readOnce(options: SourceOptions, signal: AbortSignal = never): Promise<ChangeBatch> {
    const source = await this.open(options, signal);
    try {
      return await source.read(null, 10, signal);
    } finally {
      await source.close();
    }
  }

  /** Opens the readable source for some work, and closes it. */
  async using<T>(work: (source: OpenEventSource) => Promise<T>): Promise<T> {
    const source = await this.open();
    try {
      return await work(source);
    } finally {
      await source.close();
    }
  }

  /** Reads all changes after a position, in batches of that size, and checks the form of each. */
  async readAll(source: OpenEventSource, after: string | null, limit: number) {
    const changes: SourceChange[] = [];
    let cursor = after;
    for (let batches = 0; batches < maxBatches; batches++) {
      const batch = await source.read(cursor, limit, never);
      checkBatch(batch, limit);
      cursor = batch.cursor;
      if (batch.changes.length === 0) return { changes, cursor };
      changes.push(...batch.changes);
    }
    throw new Error(`Reading must come to an end; ${maxBatches} batches had changes`);
  }

  /** Adds an event to the readable source. */
  async addEvent(): Promise<void> {
    const { addEvent } = this.sources;
    assert(addEvent !== undefined, 'The sources of a kind that is read must have addEvent');
    await addEvent.call(this.sources);
  }

  async isConnected(): Promise<boolean> {
    return (await this.sources.connections()) > 0;
  }

  /** Polls a condition. @throws Error with the requirement when the condition does not hold within the time limit. */
  async require(requirement: string, condition: () => Promise<boolean>): Promise<void> {
    const deadline = this.#clock.elapsed() + timeLimit;
    while (!(await condition())) {
      assert(this.#clock.elapsed() < deadline, requirement);
      await this.#clock.sleep(10);
    }
  }

  /** @param what begins the requirement: `A probe`. */
  requireDisconnected(what: string): Promise<void> {
    return this.require(`${what} must close its connection`, async () => !(await this.isConnected()));
  }

  /** Checks that work on a source that does not respond rejects and closes its connection when its signal aborts. */
  async requireAbortable(what: string, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    let isSettled = false;
    const isRejected = work(abort.signal)
      .then(
        () => false,
        () => true,
      )
      .finally(() => {
        isSettled = true;
      });
    await this.require(`${what} must connect`, async () => isSettled || this.isConnected());
    abort.abort();
    await this.require(`${what} must settle when its signal aborts`, async () => isSettled);
    assert(await isRejected, `${what} must reject when its source does not respond`);
    await this.requireDisconnected(what);
  }
}

/** Checks that work rejects with an Error whose message is a sentence. @param what begins the requirement: `A probe`. */
export async function requireSentence(what: string, work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert(error !== null, `${what} must reject when events cannot be read`);
  assert(error instanceof Error, `${what} must reject with an Error`, error);
  assert(/^\S+( \S+)+$/.test(error.message), 'The message must be a sentence on one line', error.message);
}

function checkBatch({ changes, cursor }: ChangeBatch, limit: number): void {
  assert(
    changes.length <= limit,
    `A batch must have at most as many changes as were asked for, ${limit}`,
    changes.length,
  );
  const isCursor = cursor === null || (typeof cursor === 'string' && cursor.length > 0 && cursor.length <= 1024);
  assert(isCursor, 'A cursor must be null or a text of 1 to 1024 characters', cursor);
  for (const { key, evidence, operation, recordId, payload, problem } of changes) {
    assert(typeof key === 'string' && key.length > 0 && key.length <= 512, 'A key must have 1 to 512 characters', key);
    const texts = [evidence, operation, recordId, problem ?? null];
    const areTexts = texts.every((text) => text === null || typeof text === 'string');
    assert(areTexts, 'evidence, operation, recordId and problem must be texts or null', texts);
    const isPlain = JSON.stringify(JSON.parse(JSON.stringify(payload))) === JSON.stringify(payload);
    assert(isPlain && hasPlainValues(payload), 'A payload must be plain data', Object.keys(payload));
  }
}

/** Whether a value is what it would be after JSON: no Date, no Uint8Array, no undefined. */
function hasPlainValues(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return ['string', 'number', 'boolean'].includes(typeof value) || value === null;
  if (Array.isArray(value)) return value.every(hasPlainValues);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(hasPlainValues);
}
