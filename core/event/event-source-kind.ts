import type { Fields } from '../field/fields.ts';

/**
 * PORT: a kind of place that events come from. Options are complete and validated against `options`; secrets among
 * them are in the clear.
 */
export interface EventSourceKind {
  readonly name: string;
  /** Options that an event source may give it, described with the same field helpers as records. */
  readonly options: Fields;
  /**
   * Connects and looks whether events could be read, without taking any. Lets go of everything when the signal aborts.
   * @throws Error whose message says why they cannot be, in words for whoever set it up.
   */
  probe(options: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void>;
}
