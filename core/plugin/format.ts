import type { FieldTable } from '../field/field-table.ts';
import type { ResponseLinks } from './response-links.ts';

/** What kind of record something is. */
export interface RecordShape {
  /** One word for it: `app` for one app and for each of a list, `status`, `problem`. */
  readonly name: string;
  /** The fields of the record, in order; null where it is no record. */
  readonly fields: FieldTable | null;
  /** The fields that say most about it in one line, for tables that people read; all when left out. */
  readonly summaryFields?: readonly string[];
}

/** What is being answered: for formats that show more than the data itself (headings, element names). */
export interface ResponseShape extends RecordShape {
  readonly kind: 'item' | 'list' | 'problem';
  /** The word for all of a list: `apps`. */
  readonly many?: string;
  /** What is inside the record, by the field that holds it: one record, or a list of records such as a task's jobs. */
  readonly embedded?: Readonly<Record<string, RecordShape>>;
}

export interface FormatContext extends ResponseShape {
  /** Null where the answer leads nowhere: it is no page of a site. */
  readonly links: ResponseLinks | null;
}

/**
 * PORT: a way to write answers down; the path's suffix chooses it. Values are plain data as JSON knows it:
 * times are already text, secrets already masked.
 */
export interface Format {
  /** Without the leading dot: `json`, `tar.gz`. */
  readonly suffix: string;
  /** The content type, with its charset where it has one. */
  readonly mime: string;
  /** The content type of an error; the same as `mime` when left out. */
  readonly problemMime?: string;
  /** Headers that answers in this format need. `value` is what is being written; of a stream it is undefined. */
  headers?(value: unknown, context: FormatContext): Readonly<Record<string, string>>;
  write(value: unknown, context: FormatContext): string | Uint8Array;
  /**
   * Writes a list of any length, of which one page at a time is in memory; there may be none. A format without it
   * cannot answer `limit=all`.
   */
  writeList?(pages: AsyncIterable<readonly unknown[]>, context: FormatContext): AsyncIterable<string | Uint8Array>;
}
