import type { FieldDescriptions } from '../field/field-description.ts';
import { memoized } from '../registry/memoized.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { embeddedIn } from '../resource/serialize.ts';
import { visibleColumns } from '../resource/serialize-row.ts';
import { summaryFieldsOf } from '../resource/summary-fields.ts';
import type { ResponseLinks } from './response-links.ts';

/** The kind of a record. */
export interface RecordShape {
  /** Its name in the singular: `app` for one app and for each of a list, `status`, `problem`. */
  readonly name: string;
  /** The fields of the record, in order; null where it has no description. */
  readonly fields: FieldDescriptions | null;
  /** The fields that summarize it in one line of a table. @default all */
  readonly summaryFields?: readonly string[];
}

/** The kind of a response, for formats that show more than the data itself (headings, element names). */
export interface ResponseShape extends RecordShape {
  readonly kind: 'item' | 'list' | 'problem';
  /** The name of a list: `apps`. */
  readonly plural?: string;
  /** Records inside the record, by the field that holds one or a list of them, such as a task's jobs. */
  readonly embedded?: Readonly<Record<string, RecordShape>>;
}

export interface FormatContext extends ResponseShape {
  /** Null where the response has none. */
  readonly links: ResponseLinks | null;
  /** Sentences that warn the reader; the response has them as headers as well. @default none */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * PORT: a format of responses, chosen by the suffix of the path. Values are plain data as in JSON: times are text
 * already, secrets are masked already.
 */
export interface Format {
  /** Without the leading dot: `json`, `tar.gz`. */
  readonly suffix: string;
  /** The content type, with its charset where it has one. */
  readonly mime: string;
  /** The content type of an error. @default that of `mime` */
  readonly problemMime?: string;
  /** Further headers of responses in this format. `value` is the data; of a stream it is undefined. */
  headers?(value: unknown, context: FormatContext): Readonly<Record<string, string>>;
  write(value: unknown, context: FormatContext): string | Uint8Array;
  /**
   * Writes a list of any length, with one page at a time in memory; there may be no pages. A format without it
   * cannot write `limit=all`.
   */
  writeList?(pages: AsyncIterable<readonly unknown[]>, context: FormatContext): AsyncIterable<string | Uint8Array>;
  /**
   * How many records a format writes at once that takes long: longer lists are written in pieces, by `writeList`, so that
   * other requests are answered in between. @default all
   */
  readonly rowsAtOnce?: number;
  /**
   * Writes the same as `write` in pieces, between which other requests are answered: for a large value, such as the
   * description of the API. @default written at once
   */
  writePieces?(value: unknown, context: FormatContext): Iterable<string>;
}

/** The shape of one record of a resource, or of a list of them; made once for each resource. */
export const recordShapes = { item: memoized(shapeOf('item')), list: memoized(shapeOf('list')) };

function shapeOf(kind: 'item' | 'list'): (resource: AnyResource) => ResponseShape {
  return (resource) => {
    const embedded = Object.entries(embeddedIn(resource, kind)).map(([field, each]) => [
      field,
      recordShape(each.resource),
    ]);
    return { kind, ...recordShape(resource), plural: resource.names.plural, embedded: Object.fromEntries(embedded) };
  };
}

function recordShape(resource: AnyResource): RecordShape {
  return { name: resource.names.singular, fields: visibleColumns(resource), summaryFields: summaryFieldsOf(resource) };
}
