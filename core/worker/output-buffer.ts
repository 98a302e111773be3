import { concatenate } from '../bytes/concatenate.ts';
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

/** How many bytes may be unwritten before the job has to wait. */
const maxSize = 256 * 1024;
/** Output is written when it is this old, or has this many bytes. */
const writeDelay: Milliseconds = 200;
const writeSize = 32 * 1024;

/** Buffers the output of a job until it is stored. It applies back-pressure when the store cannot keep up. */
export class OutputBuffer {
  #chunks: OutputChunk[] = [];
  #size = 0;
  #seq = 0;
  /** How many of the chunks `peek` has returned: the store may have them, so they are not joined with others. */
  #peeked = 0;
  #waiters: (() => void)[] = [];
  #discarded = false;

  get size(): number {
    return this.#size;
  }

  /** Whether nothing is stored any more. */
  get isDiscarded(): boolean {
    return this.#discarded;
  }

  /**
   * Returns the time until the output must be written; Infinity = there is none.
   * @param now the present time of the clock that dated the chunks.
   */
  untilDue(now: Instant): Milliseconds {
    const [oldest] = this.#chunks;
    if (!oldest) return Infinity;
    // The clock may have been set back since, so the wait has an upper limit.
    return this.#size >= writeSize ? 0 : Math.min(oldest.at + writeDelay - now, writeDelay);
  }

  /** Adds a chunk. The returned promise resolves when there is room for more; undefined = there is room now. */
  add(chunk: OutputChunk): Promise<void> | void {
    if (this.#discarded) return;
    this.#chunks.push(chunk);
    this.#size += chunk.data.length;
    if (this.#size > maxSize) return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Returns the chunks to write next, with adjacent chunks of one stream joined. Chunks stay until `written` removes them:
   * until then they are returned again under the same numbers, before those added meanwhile.
   */
  peek(): PeekedOutput {
    this.#chunks = [...this.#chunks.slice(0, this.#peeked), ...join(this.#chunks.slice(this.#peeked))];
    this.#peeked = this.#chunks.length;
    return { chunks: this.#chunks.map((chunk, index) => ({ ...chunk, seq: this.#seq + index })) };
  }

  /** Removes chunks that `peek` returned and the store now has. */
  written({ chunks }: PeekedOutput): void {
    for (const chunk of this.#chunks.splice(0, chunks.length)) this.#size -= chunk.data.length;
    this.#seq += chunks.length;
    this.#peeked -= chunks.length;
    this.#resume();
  }

  /** Drops all chunks, also later ones, and lets waiting writers continue. */
  discard(): void {
    this.#discarded = true;
    this.#chunks = [];
    this.#size = 0;
    this.#resume();
  }

  #resume(): void {
    for (const resume of this.#waiters.splice(0)) resume();
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
