import { type Format, type FormatContext, visibleControls } from '@horarium/core/plugin';
import { stringify } from 'csv-stringify/sync';
import { type Column, columnsOf, type Row, unfold } from './columns.ts';

/**
 * CSV as RFC 4180 has it, with a header line, commas and CRLF. Tables are flat, records are not; one level is flattened:
 *
 * - one line a record, one column a field, in the order of the description; a single record is a table of one line;
 * - an object whose keys the service chooses becomes one column a key, `queue.due`;
 * - a list of records inside a record (a task's jobs) becomes one line each, `jobs.id`, with the outer fields repeated;
 *   outer texts of more than 1000 characters stand in the first line only;
 * - everything deeper, lists, and objects whose keys users choose (`environment`, `settings`) are JSON in one cell;
 * - null is an empty cell, empty text is `""`;
 * - a text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line end) gets an
 *   apostrophe in front; control characters are shown as their pictures (␀, ␛).
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

/** What is no record becomes one with a single column. */
function asRows(values: readonly unknown[], context: FormatContext): Row[] {
  return values.flatMap((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? unfold(value as Row, context)
      : [{ [context.name]: value }],
  );
}

function header(columns: readonly Column[]): string {
  return write([columns.map((column) => column.name)]);
}

function lines(rows: readonly Row[], columns: readonly Column[]): string {
  return write(rows.map((row) => columns.map((column) => cell(column.read(row)))));
}

function cell(value: unknown): unknown {
  if (typeof value === 'string') return visibleControls(value).replace(/^\n/, "'\n");
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function write(records: readonly (readonly unknown[])[]): string {
  return stringify(records as unknown[][], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { boolean: String },
    escape_formulas: true,
    // Of what is empty only texts match: null has no text.
    quoted_match: /^$/,
  });
}
