import type { Clock, Milliseconds, OutputStream } from '@horarium/core/plugin';
import { maxPiece, type ReportEvent } from '../wire/messages/messages.ts';

type Output = Extract<ReportEvent, { readonly kind: 'output' }>;

interface QueuedEvent<E extends ReportEvent = ReportEvent> {
  readonly event: E;
  /** The time of the event by the clock that goes on while the machine is suspended. */
  readonly at: Milliseconds;
}

export interface ReportQueueOptions {
  readonly clock: Clock;
  /** Aborts when nothing is published any more. */
  readonly closing: AbortSignal;
  /** Resolves when the report is stored for the hosts. */
  publish(event: ReportEvent, seq: number, age: Milliseconds): Promise<void>;
  /** Called when a publication failed, which is repeated. */
  onFailure(reason: string): void;
}

/** How many bytes of output may wait before the attempt has to wait: with the message under way they stay below 1 MiB. */
const maxSize = 512 * 1024;
/** What a queued chunk takes besides its bytes. */
const chunkOverhead = 200;
/** Output is published when it is this old, or has this many bytes, or something else follows it. */
const outputDelay: Milliseconds = 200;
const outputSize = 32 * 1024;

const firstWait: Milliseconds = 250;
const maxWait: Milliseconds = 5000;

/**
 * Publishes the events of one attempt in their order: each when the one before is stored, and again until it is stored itself.
 * Output waits meanwhile in bounded memory.
 */
export class ReportQueue {
  readonly #options: ReportQueueOptions;
  readonly #events: QueuedEvent[] = [];
  /** The number of queued events that are no output. */
  #others = 0;
  #size = 0;
  #seq = 0;
  #running: Promise<void> | null = null;
  #discarding = false;
  #waiters: (() => void)[] = [];
  #onAdded: () => void = () => {};

  constructor(options: ReportQueueOptions) {
    this.#options = options;
  }

  /** Resolves when every event so far is stored, or nothing is published any more. */
  get published(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Adds output. The returned promise resolves when there is room for more; undefined = there is room now. */
  addOutput(stream: OutputStream, bytes: Uint8Array, cut: boolean): Promise<void> | undefined {
    if (this.#discarding || bytes.length === 0) return undefined;
    this.#size += bytes.length + chunkOverhead;
    this.#push({ kind: 'output', stream, bytes, cut });
    if (this.#size <= maxSize) return undefined;
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  add(event: Exclude<ReportEvent, Output>): void {
    this.#others += 1;
    this.#push(event);
  }

  /** Takes no further output and lets who waits for room go on, because the attempt must end. */
  discardOutput(): void {
    this.#discarding = true;
    this.#resume();
  }

  #push(event: ReportEvent): void {
    this.#events.push({ event, at: this.#options.clock.uptime() });
    this.#onAdded();
    this.#running ??= this.#publishAll();
  }

  async #publishAll(): Promise<void> {
    const { closing } = this.#options;
    while (this.#events.length > 0 && !closing.aborted) {
      await this.#untilDue();
      const { taken, size } = this.#take();
      this.#seq += 1;
      await this.#untilStored(taken, this.#seq);
      this.#size -= size;
      if (this.#size <= maxSize) this.#resume();
    }
    this.#running = null;
    if (closing.aborted) this.discardOutput();
  }

  /** Waits while there is little output and nothing else, so that many lines make one message. */
  async #untilDue(): Promise<void> {
    const { clock, closing } = this.#options;
    const due = this.#events[0]?.at as Milliseconds;
    const over = new AbortController();
    const end = () => over.abort('due');
    const endIfDue = () => {
      if (this.#others > 0 || this.#size >= outputSize || closing.aborted) end();
    };
    this.#onAdded = endIfDue;
    closing.addEventListener('abort', end, { once: true });
    endIfDue();
    await clock.sleep(Math.max(0, due + outputDelay - clock.uptime()), over.signal);
    closing.removeEventListener('abort', end);
    this.#onAdded = () => {};
  }

  /** Takes the next event from the queue; output with what follows it of the same stream, as far as a message holds it. */
  #take(): { readonly taken: QueuedEvent; readonly size: number } {
    const first = this.#events.shift() as QueuedEvent;
    if (!isOutput(first)) {
      this.#others -= 1;
      return { taken: first, size: 0 };
    }
    const { event, at } = first;
    const { stream, cut } = event;
    if (event.bytes.length > maxPiece) {
      this.#events.unshift({ event: { ...event, bytes: event.bytes.subarray(maxPiece) }, at });
      return { taken: { event: { ...event, bytes: event.bytes.subarray(0, maxPiece) }, at }, size: maxPiece };
    }
    const chunks = [event.bytes];
    let length = event.bytes.length;
    for (let next = this.#events[0]; next && !cut; next = this.#events[0]) {
      if (!isOutput(next) || next.event.cut || next.event.stream !== stream) break;
      if (length + next.event.bytes.length > maxPiece) break;
      length += next.event.bytes.length;
      chunks.push(next.event.bytes);
      this.#events.shift();
    }
    const bytes = chunks.length === 1 ? event.bytes : Buffer.concat(chunks);
    return { taken: { event: { ...event, bytes }, at }, size: length + chunks.length * chunkOverhead };
  }

  async #untilStored({ event, at }: QueuedEvent, seq: number): Promise<void> {
    const { clock, closing, publish, onFailure } = this.#options;
    for (let wait = firstWait; !closing.aborted; wait = Math.min(wait * 2, maxWait)) {
      try {
        await publish(event, seq, Math.max(0, Math.round(clock.uptime() - at)));
        return;
      } catch (error) {
        if (!closing.aborted) onFailure((error as Error).message);
        await clock.sleep(wait, closing);
      }
    }
  }

  #resume(): void {
    for (const resume of this.#waiters.splice(0)) resume();
  }
}

function isOutput(queued: QueuedEvent): queued is QueuedEvent<Output> {
  return queued.event.kind === 'output';
}
