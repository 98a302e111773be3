import type { OutputStream } from '../executor/executor.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';

/** A chunk of output that the store does not have yet. */
export interface OutputChunk {
  readonly stream: OutputStream;
  readonly at: Instant;
  readonly data: Uint8Array;
}

/** Numbered chunks, for the store to write next. */
export interface PeekedOutput {
  readonly chunks: readonly (OutputChunk & { readonly seq: number })[];
}

/** How much unwritten output a job may have before it must wait. */
const maxSize = 256 * 1024;
/** Output is written when it is this old, or this much. */
const writeDelay: Milliseconds = 200;
const writeSize = 32 * 1024;

/** Output of a job that the store does not have yet. It applies back-pressure when the store cannot keep up. */
export class OutputBuffer {
  #chunks: OutputChunk[] = [];
  #size = 0;
  #seq = 0;
  /** How many of the chunks were peeked at: the store may have them, so they stay as they are. */
  #peeked = 0;
  #waiting: (() => void)[] = [];
  #discarded = false;

  get size(): number {
    return this.#size;
  }

  /** How long it may wait until it is written; Infinity = there is none. `now` is of the clock that dated the chunks. */
  untilDue(now: Instant): Milliseconds {
    const [oldest] = this.#chunks;
    if (!oldest) return Infinity;
    // That clock may have been set back since.
    return this.#size >= writeSize ? 0 : Math.min(oldest.at + writeDelay - now, writeDelay);
  }

  /** Resolves when there is room for more. */
  add(chunk: OutputChunk): Promise<void> | void {
    if (this.#discarded) return;
    this.#chunks.push(chunk);
    this.#size += chunk.data.length;
    if (this.#size > maxSize) return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * The chunks to write next, adjacent ones of one stream joined. Nothing is removed before `written`: until then the
   * same chunks come again under the same numbers, followed by those added meanwhile.
   */
  peek(): PeekedOutput {
    this.#chunks = [...this.#chunks.slice(0, this.#peeked), ...join(this.#chunks.slice(this.#peeked))];
    this.#peeked = this.#chunks.length;
    return { chunks: this.#chunks.map((chunk, index) => ({ ...chunk, seq: this.#seq + index })) };
  }

  /** Removes the chunks that `peek` gave, which the store has now. */
  written({ chunks }: PeekedOutput): void {
    for (const chunk of this.#chunks.splice(0, chunks.length)) this.#size -= chunk.data.length;
    this.#seq += chunks.length;
    this.#peeked -= chunks.length;
    this.#resume();
  }

  /** Drops what is there and all that is still added, and lets nothing wait for room any more. */
  discard(): void {
    this.#discarded = true;
    this.#chunks = [];
    this.#size = 0;
    this.#resume();
  }

  #resume(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

function join(chunks: readonly OutputChunk[]): OutputChunk[] {
  const runs: OutputChunk[][] = [];
  for (const chunk of chunks) {
    const run = runs.at(-1);
    if (run && run[0]?.stream === chunk.stream) run.push(chunk);
    else runs.push([chunk]);
  }
  return runs.map((run) => ({ ...(run[0] as OutputChunk), data: concatenate(run.map((chunk) => chunk.data)) }));
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
