import { createRequire } from 'node:module';
import type { Format, FormatContext, PlainRecord } from '@horarium/core/plugin';
import { type Column, columnsOf, unfold } from './columns.ts';

const load = createRequire(import.meta.url);

/**
 * CSV as in RFC 4180, with a header line, commas and CRLF. Tables are flat and records are not, so one level is flattened:
 *
 * - one line per record, one column per field, in the order of the description; a single record is a table of one line;
 * - an object whose keys the service chooses becomes one column per key, `queue.due`;
 * - a list of records inside a record (a task's jobs) becomes one line each, `jobs.id`, with the outer fields repeated;
 *   outer texts of more than 1000 characters stand in the first line only;
 * - everything deeper, lists, and objects whose keys users choose (`environment`, `settings`) are JSON in one cell;
 * - null is an empty cell, empty text is `""`; texts with control characters are quoted;
 * - a text that a spreadsheet would take for a formula gets an apostrophe in front, also where only a spreadsheet that
 *   separates fields by semicolons or tabs would: `a;=1` is `"a;'=1"`.
 */
export const formatCsv: Format = {
  suffix: 'csv',
  mime: 'text/csv; charset=utf-8; header=present',
  write(value, context) {
    const rows = asRows(Array.isArray(value) ? value : [value], context);
    const columns = columnsOf(rows, context);
    return header(columns) + lines(rows, columns);
  },
  writeList: table,
};

async function* table(pages: AsyncIterable<readonly unknown[]>, context: FormatContext): AsyncIterable<string> {
  let columns: readonly Column[] | undefined;
  for await (const page of pages) {
    const rows = asRows(page, context);
    const begin = columns === undefined;
    columns ??= columnsOf(rows, context);
    yield (begin ? header(columns) : '') + lines(rows, columns);
  }
  if (!columns) yield header(columnsOf([], context));
}

/** A value that is not a record becomes one with a single column. */
function asRows(values: readonly unknown[], context: FormatContext): PlainRecord[] {
  return values.flatMap((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? unfold(value as PlainRecord, context)
      : [{ [context.name]: value }],
  );
}

function header(columns: readonly Column[]): string {
  return write([columns.map((column) => guarded(column.name))]);
}

function lines(rows: readonly PlainRecord[], columns: readonly Column[]): string {
  return write(rows.map((row) => columns.map((column) => cell(column.read(row)))));
}

function cell(value: unknown): unknown {
  if (typeof value === 'string') return guarded(value);
  return typeof value === 'object' && value !== null ? guardedJson(value) : value;
}

// Also the full-width forms of the signs, which some spreadsheets take for the signs themselves.
const formulaAtStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const formulaInside = /(?<=[;\t\r\n])(?="*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Puts an apostrophe before each place at which a spreadsheet would begin to read a formula. */
function guarded(text: string): string {
  return text.toWellFormed().replace(formulaInside, "'").replace(formulaAtStart, "'$&");
}

/** JSON that is read as the same data: the sign of a formula after a semicolon is escaped. */
function guardedJson(value: object): string {
  return JSON.stringify(value).replace(
    /(?<=;)[=+\-@\uff1d\uff0b\uff0d\uff20]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// An empty text, unlike null, which has none; a semicolon; a control character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const quoted = /^$|[;\u0000-\u001f\u007f-\u009f]/;

function write(records: readonly (readonly unknown[])[]): string {
  // Loaded when CSV is first written, because few services write any.
  const { stringify } = load('csv-stringify/sync') as typeof import('csv-stringify/sync');
  return stringify(records as unknown[][], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { boolean: String },
    quoted_match: quoted,
  });
}
