import { type AnyResource, type FormatContext, recordShapes } from '@horarium/core';

type Row = Readonly<Record<string, unknown>>;

/** What the columns follow from where rows alone do not tell. */
export interface CsvColumns {
  /** Whose records the rows are. @default none: every member of an object is a column */
  readonly resource?: AnyResource | undefined;
  /** The only columns of a list. @default all */
  readonly chosen?: readonly string[] | undefined;
  /** The columns of a list that has no rows. */
  readonly columns?: readonly string[] | undefined;
  /** The fields that hold lists of records. Each record of the first of them makes a line. */
  readonly lists?: readonly string[] | undefined;
}

/** Writes rows or a record as the HTTP API does, guarded against the formulas of spreadsheets; an empty list without known columns is empty. */
export async function csvText(value: Row | readonly Row[], known: CsvColumns = {}): Promise<string> {
  const { chosen } = known;
  const context = contextOf(Array.isArray(value) ? 'list' : 'item', known);
  if (Array.isArray(value) && value.length === 0 && !context.fields && !context.summaryFields) return '';
  const { formatCsv } = await import('../../../plugins/format-csv/format-csv.ts');
  const written = chosen && Array.isArray(value) ? value.map((row) => only(row, chosen)) : value;
  return String(formatCsv.write(written, context));
}

/** Writes pages of rows as `csvText` does, one page at a time. */
export async function* csvPieces(pages: AsyncIterable<readonly Row[]>, columns: readonly string[]) {
  const { formatCsv } = await import('../../../plugins/format-csv/format-csv.ts');
  yield* formatCsv.writeList?.(pages, contextOf('list', { columns })) ?? [];
}

function only(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

function contextOf(kind: 'item' | 'list', { resource, chosen, columns, lists = [] }: CsvColumns): FormatContext {
  const links = null;
  if (resource) {
    const shape = recordShapes[kind](resource);
    const fields = chosen
      ? chosen.flatMap((name) => shape.fields?.find((each) => each.name === name) ?? [])
      : shape.fields;
    return { ...shape, fields, links };
  }
  const embedded = Object.fromEntries(lists.map((name) => [name, { name, fields: null }]));
  return { kind, name: 'value', fields: null, embedded, links, ...(columns && { summaryFields: columns }) };
}
