import type { Fields, RowOf } from '../field/field-meta.ts';

/**
 * PORT: a kind of event source. The options it receives are complete, validated against `options`, and decrypted.
 */
export interface EventSourceKind<F extends Fields = Fields> {
  readonly name: string;
  /** The options of an event source of this kind, described with the same field helpers as records. */
  readonly options: F;
  /**
   * Connects and checks that events could be read, without consuming any. Closes what it opened when the signal aborts.
   * @throws Error whose message tells the administrator why they cannot be read.
   */
  probe(options: Readonly<RowOf<F>>, signal: AbortSignal): Promise<void>;
}

/** Lets the compiler infer the type of the options of a kind; it does nothing else. */
export function defineEventSourceKind<const F extends Fields>(kind: EventSourceKind<F>): EventSourceKind<F> {
  return kind;
}
