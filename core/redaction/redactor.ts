import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { ByteAutomaton } from './byte-automaton.ts';
import { RedactedStream } from './redacted-stream.ts';
import { formHeads, searchedForms } from './secret-forms.ts';
import { TextWindows, windowSize } from './text-windows.ts';

/** How many characters secrets have whose automaton takes no more than a millisecond or two to build. */
const quicklyBuilt = 2048;

/**
 * Masks secrets and their encoded forms in texts and streams of bytes, in a time that grows with the text alone. Each
 * stretch that one or several of them cover is replaced by one mask; stretches that only touch have a mask each.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  #automaton: ByteAutomaton | undefined;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.trim() !== '');
  }

  /** How many characters all secrets have, by which the time grows that it takes to build. */
  get size(): number {
    return this.#secrets.reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Returns a redactor for these texts alone: without the secrets that occur in none of them, in whatever form, so that it
   * is built in a time that grows with the texts and the number of secrets, hardly with the length of these. Where all are
   * built quickly it is this one.
   */
  within(texts: readonly string[]): Redactor {
    if (this.size <= quicklyBuilt) return this;
    const windows = new TextWindows(texts);
    const mayOccur = (head: string) => head.length < windowSize || windows.mayContain(head);
    return new Redactor(this.#secrets.filter((secret) => formHeads(secret).some(mayOccur)));
  }

  /** Builds the automaton that finds the secrets, in slices between which the event loop turns. */
  async build(): Promise<void> {
    for (const _step of this.#build()) await yieldToEventLoop();
  }

  /** Redacts a stream. The automaton is built when the first bytes come, unless it was built before. */
  stream(): RedactedStream {
    return new RedactedStream(this.#secrets.length > 0 ? () => this.#build() : null);
  }

  /** Redacts a short text at once. */
  redact(text: string): string {
    const steps = this.#redact(text);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  }

  /** Redacts a text of any length in slices, between which the event loop turns. */
  async redactInSlices(text: string): Promise<string> {
    const steps = this.#redact(text);
    let step = steps.next();
    for (; !step.done; step = steps.next()) await yieldToEventLoop();
    return step.value;
  }

  *#redact(text: string): Generator<void, string> {
    if (this.#secrets.length === 0) return text;
    const stream = this.stream();
    const pieces: Uint8Array[] = [];
    for (const piece of stream.push(new TextEncoder().encode(text))) {
      if (pieces.length > 0) yield;
      pieces.push(piece);
    }
    pieces.push(stream.end());
    if (!stream.hasMasked) return text;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
  }

  *#build(): Generator<void, ByteAutomaton> {
    this.#automaton ??= yield* ByteAutomaton.build(yield* searchedForms(this.#secrets));
    return this.#automaton;
  }
}

/** Masks secrets in a short text. */
export function redact(text: string, secrets: readonly string[]): string {
  return new Redactor(secrets).redact(text);
}
