import type { Fields, RowOf } from '../field/field-meta.ts';

/** One change as a source reports it. */
export interface SourceChange {
  /** Tells it from all others of the source, up to 512 characters: the same key is the same change. */
  readonly key: string;
  /** What kind of record changed, up to 255 characters. */
  readonly evidence: string | null;
  /** `create`, `update`, `delete` or a word of the source, up to 255 characters. */
  readonly operation: string | null;
  /** Which record changed, up to 1024 characters. */
  readonly recordId: string | null;
  /** Everything that the source knows of it, plain data; the selectors of rules read it. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** A sentence on why it cannot be used: its event is set aside with it. @default it can be used */
  readonly problem?: string;
}

/** The changes that follow a position. */
export interface ChangeBatch {
  /** At most as many as were asked for, in the order in which they happened; none = there are no further ones for now. */
  readonly changes: readonly SourceChange[];
  /**
   * The position after these changes, up to 1024 characters in a form that only the kind understands. Whatever it must
   * remember is in it: the next read may be made by another host. It may move without a change.
   */
  readonly cursor: string | null;
  /** A sentence on what the source has that can never be read; `last_error` shows it. @default all of it can be read */
  readonly warning?: string;
}

/** A source whose changes are read. Its methods are called one at a time. */
export interface OpenEventSource {
  /**
   * Reads the changes after a position, without consuming them: the same position has the same changes again, as far as
   * they are not acknowledged. Rejects soon after the signal aborts.
   * @param after the cursor of an earlier batch; null = the beginning.
   * @throws Error whose message tells the administrator why they cannot be read.
   */
  read(after: string | null, limit: number, signal: AbortSignal): Promise<ChangeBatch>;
  /**
   * Tells that all changes up to a position are stored, so that the source may forget them. It may be
   * called again for the same position, if an earlier call may have been lost. @default the source is not informed
   */
  acknowledge?(cursor: string, signal: AbortSignal): Promise<void>;
  /** Releases everything; never rejects. */
  close(): Promise<void>;
}

/**
 * PORT: a kind of event source. The options it receives are complete, validated against `options`, and decrypted.
 */
export interface EventSourceKind<F extends Fields = Fields> {
  readonly name: string;
  /** The options of an event source of this kind, described with the same field helpers as records. */
  readonly options: F;
  /**
   * The options that say where a source is: who changes one must give the secrets again, because they were saved for another
   * place. @default none
   */
  readonly address?: readonly string[];
  /**
   * Connects to a source, to read from it. Closes what it opened when the signal aborts. A kind without this method is not
   * read: its changes are sent to the service, by a route of its plugin.
   * @throws Error whose message tells the administrator why it cannot be read.
   */
  open?(options: Readonly<RowOf<F>>, signal: AbortSignal): Promise<OpenEventSource>;
  /**
   * The columns of the payload of every change, where all sources of the kind have the same: a rule that names another one
   * cannot be saved. @default any column may be named
   */
  readonly columns?: readonly string[];
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
