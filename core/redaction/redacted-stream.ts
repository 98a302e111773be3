import { mask } from '../secret/ciphertext.ts';
import { type ByteAutomaton, rootState } from './byte-automaton.ts';
import { concatenate } from './concatenate.ts';
import { CoveredStretches } from './covered-stretches.ts';
import { HeldBytes } from './held-bytes.ts';

/** How many bytes are redacted in one step. */
export const sliceSize = 128 * 1024;

const maskBytes = new TextEncoder().encode(mask);
const nothing = new Uint8Array();

/**
 * Redacts bytes of any encoding that come in pieces, wherever these end. It holds back only a tail that further bytes
 * may complete to a secret, so that output is seen at once; `end` returns that tail.
 */
export class RedactedStream {
  readonly #buildAutomaton: (() => Generator<void, ByteAutomaton>) | null;
  readonly #held = new HeldBytes();
  readonly #covered = new CoveredStretches();
  #automaton: ByteAutomaton | undefined;
  #state = rootState;
  /** The end of the last stretch whose mask was returned; it may be behind what was returned so far. */
  #maskedUntil = 0;
  #hasMasked = false;

  /** @param buildAutomaton null = there is nothing to mask. */
  constructor(buildAutomaton: (() => Generator<void, ByteAutomaton>) | null) {
    this.#buildAutomaton = buildAutomaton;
  }

  /** Whether anything was masked so far. */
  get hasMasked(): boolean {
    return this.#hasMasked;
  }

  /**
   * Redacts further bytes in steps that are short enough for the event loop, and yields what each step returns, which
   * may be nothing. All steps must be taken before the next call.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array, void> {
    if (!this.#buildAutomaton) {
      yield bytes;
      return;
    }
    if (!this.#automaton) {
      const building = this.#buildAutomaton();
      let step = building.next();
      for (; !step.done; step = building.next()) yield nothing;
      this.#automaton = step.value;
    }
    for (let at = 0; at < bytes.length; at += sliceSize)
      yield this.#redact(this.#automaton, bytes.subarray(at, at + sliceSize));
  }

  /** Returns what was held back, at the end of the stream. */
  end(): Uint8Array {
    return this.#take(this.#held.end);
  }

  /** Returns what was held back where the rest of the stream is dropped: masked, because it may begin a secret. */
  cut(): Uint8Array {
    const unfinished = this.#automaton?.unfinished(this.#state) ?? 0;
    if (unfinished > 0) this.#covered.add(this.#held.end - unfinished, this.#held.end);
    this.#state = rootState;
    return this.#take(this.#held.end);
  }

  #redact(automaton: ByteAutomaton, bytes: Uint8Array): Uint8Array {
    const from = this.#held.end;
    this.#held.append(bytes);
    this.#state = automaton.read(bytes, this.#state, (end, length) =>
      this.#covered.add(from + end - length, from + end),
    );
    return this.#take(this.#held.end - automaton.unfinished(this.#state));
  }

  /**
   * Takes the redacted bytes up to a position. A stretch that begins before it is masked at once, also where it ends
   * behind it. With the secrets `abc` and `cde`, the text `abc` becomes the mask, and its `c`, which may begin the other
   * secret, is held back though masked: if `de!` follows, the same mask stands for both, and only `!` is added.
   */
  #take(until: number): Uint8Array {
    const stretches = this.#covered.takeBefore(until);
    this.#hasMasked ||= stretches.length > 0;
    const pieces: Uint8Array[] = [];
    let at = Math.max(this.#held.start, this.#maskedUntil);
    for (const [start, end] of stretches) {
      if (at < start) pieces.push(this.#held.view(at, start));
      if (at <= start) pieces.push(maskBytes);
      at = Math.max(at, end);
    }
    if (at < until) pieces.push(this.#held.view(at, until));
    this.#maskedUntil = at;
    const taken = concatenate(pieces);
    this.#held.release(until);
    return taken;
  }
}
