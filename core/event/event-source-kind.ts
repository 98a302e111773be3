import type { Fields } from '../field/field-meta.ts';

/**
 * PORT: a kind of event source. The options it receives are complete, validated against `options`, and decrypted.
 */
export interface EventSourceKind {
  readonly name: string;
  /** The options of an event source of this kind, described with the same field helpers as records. */
  readonly options: Fields;
  /**
   * Connects and checks that events could be read, without consuming any. Closes what it opened when the signal aborts.
   * @throws Error whose message tells the administrator why they cannot be read.
   */
  probe(options: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void>;
}
