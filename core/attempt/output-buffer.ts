import type { OutputStream } from '../executor/executor.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';

export interface OutputPiece {
  readonly stream: OutputStream;
  readonly at: Instant;
  readonly data: Uint8Array;
}

/** What is to be written next. */
export interface PeekedOutput {
  readonly pieces: readonly (OutputPiece & { readonly seq: number })[];
}

/** How much a job may have written that is not in the store yet, before it is made to wait. */
const most = 256 * 1024;
/** Output is written when it is this old, or this much. */
const writeDelay: Milliseconds = 200;
const writeSize = 32 * 1024;

/** What a job wrote and the store does not have yet. It pushes back when the store cannot keep up. */
export class OutputBuffer {
  #pieces: OutputPiece[] = [];
  #size = 0;
  #seq = 0;
  /** So many of the pieces were peeked at: the store may have them, so they stay as they are. */
  #peeked = 0;
  #room: (() => void)[] = [];
  #discarded = false;

  get size(): number {
    return this.#size;
  }

  /** How long it may wait until it is written; Infinity = there is none. `now` is of the clock that dated the pieces. */
  untilDue(now: Instant): Milliseconds {
    const [oldest] = this.#pieces;
    if (!oldest) return Infinity;
    // That clock may have been set back since.
    return this.#size >= writeSize ? 0 : Math.min(oldest.at + writeDelay - now, writeDelay);
  }

  /** Resolves when there is room for more. */
  add(piece: OutputPiece): Promise<void> | void {
    if (this.#discarded) return;
    this.#pieces.push(piece);
    this.#size += piece.data.length;
    if (this.#size > most) return new Promise((resolve) => this.#room.push(resolve));
  }

  /**
   * What is to be written next, neighbours of one stream in one piece. Nothing is taken out before `written`; until
   * then the same pieces come again under the same numbers, and what was added meanwhile after them.
   */
  peek(): PeekedOutput {
    this.#pieces = [...this.#pieces.slice(0, this.#peeked), ...join(this.#pieces.slice(this.#peeked))];
    this.#peeked = this.#pieces.length;
    return { pieces: this.#pieces.map((piece, index) => ({ ...piece, seq: this.#seq + index })) };
  }

  /** The store has what `peek` gave. */
  written({ pieces }: PeekedOutput): void {
    for (const piece of this.#pieces.splice(0, pieces.length)) this.#size -= piece.data.length;
    this.#seq += pieces.length;
    this.#peeked -= pieces.length;
    this.#resume();
  }

  /** Nobody will write any of it: what is there and what is still to come is dropped, and nothing waits for room. */
  discard(): void {
    this.#discarded = true;
    this.#pieces = [];
    this.#size = 0;
    this.#resume();
  }

  #resume(): void {
    for (const resume of this.#room.splice(0)) resume();
  }
}

function join(pieces: readonly OutputPiece[]): OutputPiece[] {
  const runs: OutputPiece[][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run && run[0]?.stream === piece.stream) run.push(piece);
    else runs.push([piece]);
  }
  return runs.map((run) => ({ ...(run[0] as OutputPiece), data: concatenate(run.map((piece) => piece.data)) }));
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
