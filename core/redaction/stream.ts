import { concatenate } from '../bytes/concatenate.ts';
import { mask } from '../secret/ciphertext.ts';
import { type Automaton, rootState } from './automaton.ts';

/** How many bytes are redacted in one step. */
export const sliceSize = 64 * 1024;

const maskBytes = new TextEncoder().encode(mask);
const nothing = new Uint8Array();

/** What a stream has kept back, for another one that goes on behind it. */
export interface KeptTail {
  readonly bytes: Uint8Array;
  /** How many of them are masked already, by a mask that was returned. */
  readonly masked: number;
}

/**
 * Redacts bytes of any encoding that come in pieces, wherever these end. It holds back only a tail that further bytes may
 * complete to a secret, so that output is seen at once; `end` returns that tail. The tail is what leads the automaton to
 * its state, so that it is stored nowhere else.
 */
export class RedactedStream {
  readonly #build: () => Generator<void, Automaton>;
  #automaton: Automaton | undefined;
  #state = rootState;
  /** How many bytes were read. */
  #read = 0;
  /** The stretches that secrets cover, in order; those that overlap are one. Those before the index are masked. */
  #covered: { readonly start: number; readonly end: number }[] = [];
  #unmasked = 0;
  /** The end of the last stretch that was masked; the tail may begin before it. */
  #maskedUntil = 0;

  /** @param build builds the automaton of what is masked when the first bytes come. */
  constructor(build: () => Generator<void, Automaton>) {
    this.#build = build;
  }

  /** Whether anything was masked so far. */
  get hasMasked(): boolean {
    return this.#maskedUntil > 0;
  }

  /**
   * Redacts further bytes in steps that are short enough for the event loop, and yields what each step returns, which
   * may be nothing. All steps must be taken before the next call.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array, void> {
    if (bytes.length === 0) return;
    const automaton = yield* this.#built();
    for (let at = 0; at < bytes.length; at += sliceSize)
      yield this.#redact(automaton, bytes.subarray(at, at + sliceSize));
  }

  /**
   * Goes on where another stream of the same secrets has stopped, before any other bytes. The tail alone leads to the state
   * of that stream, and to the stretches in it that are not masked yet.
   * @param tail what `kept` of the other stream has returned.
   */
  *resume({ bytes, masked }: KeptTail): Generator<Uint8Array, void> {
    if (bytes.length === 0) return;
    const automaton = yield* this.#built();
    this.#maskedUntil = masked;
    yield this.#redact(automaton, bytes);
  }

  /** What is kept back so far; null = nothing is. */
  get kept(): KeptTail | null {
    const automaton = this.#automaton;
    const length = automaton?.lengthOf(this.#state) ?? 0;
    if (!automaton || length === 0) return null;
    const masked = Math.max(0, this.#maskedUntil - (this.#read - length));
    return { bytes: automaton.bytesOf(this.#state, 0, length), masked };
  }

  /** Returns what was kept back, at the end of the stream. */
  end(): Uint8Array {
    return this.#automaton ? this.#take(this.#automaton, nothing, rootState) : nothing;
  }

  /** Returns what was kept back where the rest of the stream is dropped: masked, because it may begin a secret. */
  cut(): Uint8Array {
    const tail = this.#automaton?.lengthOf(this.#state) ?? 0;
    if (tail > 0) this.#cover(this.#read - tail, this.#read);
    return this.end();
  }

  *#built(): Generator<Uint8Array, Automaton> {
    if (!this.#automaton) {
      const building = this.#build();
      let step = building.next();
      for (; !step.done; step = building.next()) yield nothing;
      this.#automaton = step.value;
    }
    return this.#automaton;
  }

  #redact(automaton: Automaton, bytes: Uint8Array): Uint8Array {
    const from = this.#read;
    this.#read += bytes.length;
    const cover = (end: number, length: number) => this.#cover(from + end - length, from + end);
    return this.#take(automaton, bytes, automaton.unfinished(automaton.read(bytes, this.#state, cover)));
  }

  /** Adds a stretch that ends behind all others. */
  #cover(from: number, end: number): void {
    let start = from;
    for (let last = this.#covered.at(-1); last && start < last.end; last = this.#covered.at(-1)) {
      if (this.#covered.length === this.#unmasked) break;
      start = Math.min(start, last.start);
      this.#covered.pop();
    }
    this.#covered.push({ start, end });
  }

  /**
   * Returns the redacted bytes up to the tail of another state. A stretch that begins before that tail is masked at once,
   * also where it ends in it. With the secrets `abc` and `cde`, the text `abc` becomes the mask, and its `c`, which may
   * begin the other secret, is kept back though masked: if `de!` follows, the same mask stands for both, and only `!` is
   * added.
   * @param bytes those that were read last, behind the tail of the state so far.
   */
  #take(automaton: Automaton, bytes: Uint8Array, state: number): Uint8Array {
    const tail = this.#state;
    const read = this.#read - bytes.length;
    const first = read - automaton.lengthOf(tail);
    const pieces: Uint8Array[] = [];
    const show = (from: number, to: number) => {
      if (from < read) pieces.push(automaton.bytesOf(tail, from - first, Math.min(to, read) - first));
      if (to > read) pieces.push(bytes.subarray(Math.max(from - read, 0), to - read));
    };
    const until = this.#read - automaton.lengthOf(state);
    let at = Math.max(first, this.#maskedUntil);
    for (const { start, end } of this.#coveredBefore(until)) {
      if (at < start) show(at, start);
      if (at <= start) pieces.push(maskBytes);
      at = Math.max(at, end);
      this.#maskedUntil = at;
    }
    if (at < until) show(at, until);
    this.#state = state;
    return concatenate(pieces);
  }

  /** Yields, once each, the parts covered by secrets that begin before a position. */
  *#coveredBefore(position: number): Generator<{ readonly start: number; readonly end: number }, void> {
    const covered = this.#covered;
    for (let next = covered[this.#unmasked]; next && next.start < position; next = covered[++this.#unmasked])
      yield next;
    if (2 * this.#unmasked < covered.length) return;
    covered.splice(0, this.#unmasked);
    this.#unmasked = 0;
  }
}
