import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { mask } from '../secret/ciphertext.ts';
import { excessOfSecrets } from '../secret/secrets-size.ts';
import { Automaton } from './automaton.ts';
import { searchedForms } from './forms.ts';
import { RedactedStream } from './stream.ts';

const encoder = new TextEncoder();

/**
 * Masks secrets and their encoded forms in texts and streams of bytes, in a time that grows with the text alone. Each
 * stretch that one or several of them cover is replaced by one mask; stretches that only touch have a mask each. The
 * automaton is built when the first text comes that is not empty, because most attempts say nothing.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  #automaton: Automaton | undefined;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.trim() !== '');
  }

  /** Redacts a stream. */
  stream(): RedactedStream {
    return new RedactedStream(() => this.#build());
  }

  /** Redacts a text. The event loop turns between the slices of a long text, and between many short ones. */
  async redact(text: string): Promise<string> {
    if (text === '' || this.#secrets.length === 0) return text;
    const stream = this.stream();
    const pieces: Uint8Array[] = [];
    for (const piece of stream.push(encoder.encode(text))) {
      await yieldToEventLoop();
      pieces.push(piece);
    }
    pieces.push(stream.end());
    if (!stream.hasMasked) return text;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
  }

  *#build(): Generator<void, Automaton> {
    this.#automaton ??= yield* Automaton.build(yield* searchedForms(this.#secrets));
    return this.#automaton;
  }
}

/** Masks secrets in a text, or the text as a whole where they are larger than a record may have them. */
export async function redact(text: string, secrets: readonly string[]): Promise<string> {
  if (text !== '' && excessOfSecrets(secrets) !== null) return mask;
  return new Redactor(secrets).redact(text);
}
