import {
  type AnyResource,
  computedColumns,
  embeddedIn,
  type FieldDescription,
  type Saved,
  writeSeconds,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import type { Io } from './io.ts';
import { paint, paintCell } from './shown/colours.ts';
import { csvText } from './shown/csv.ts';
import { type Look, lookOf } from './shown/look.ts';
import { escapeControls, truncate } from './shown/terminal-text.ts';
import { sentenceWithLocalTimes, withLocalTimes } from './shown/times.ts';

export const outputFormats = ['table', 'json', 'yaml', 'csv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

type Row = Readonly<Record<string, unknown>>;

/** Selects what a table shows; json, yaml and csv have every field. */
export interface TableColumns {
  /** The columns of a list or the lines of a record, in this order. @default all */
  readonly columns?: readonly string[];
  /** The columns of the lists that are embedded in a record, by field. */
  readonly embedded?: Readonly<Record<string, readonly string[]>>;
  /** Whether the table of a record leaves out the fields that are not set. @default false */
  readonly onlySet?: boolean;
  /** Whose records these are: its description says which numbers are time spans, and which objects csv keeps in one cell. @default none */
  readonly resource?: AnyResource;
  /** The only columns of csv. @default all */
  readonly csvColumns?: readonly string[] | undefined;
}

/** Adds `--format` to a command. */
export function addFormatOption(command: Command): Command {
  return command.addOption(new Option('--format <format>', 'output format').choices(outputFormats).default('table'));
}

/** Prints a value in the format that `--format` names. */
export async function print(
  io: Io,
  command: Command,
  value: Row | readonly Row[],
  columns?: TableColumns,
): Promise<void> {
  const { format } = command.opts<{ format: OutputFormat }>();
  const text = await render(value, format, columns, format === 'table' ? await lookOf(command, io) : plain);
  await io.out(format === 'csv' && io.screen ? escapeControls(text.replaceAll('\r\n', '\n')) : text);
}

/** Prints the warnings of a save on the error output, where scripts that read the record do not meet them. */
export async function printWarnings(io: Io, { warnings }: Pick<Saved<object>, 'warnings'>): Promise<void> {
  for (const warning of new Set(warnings)) await io.err(`Warning: ${escapeControls(warning)}\n`);
}

const plain: Look = { timezone: 'UTC', colours: false };

/**
 * Writes plain data as text that ends in a newline. The table of a list has one line for each row. The table of a
 * record has one line for each field, or for each member of a field that holds an object; lists of embedded records
 * follow as tables of their own.
 */
export async function render(
  value: Row | readonly Row[],
  format: OutputFormat,
  { columns, embedded = {}, onlySet = false, resource, csvColumns }: TableColumns = {},
  look: Look = plain,
): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  if (format === 'yaml') return (await import('yaml')).stringify(value, { compat: 'yaml-1.1', lineWidth: 0 });
  if (format === 'csv') return csvText(value, { resource, chosen: csvColumns, columns, lists: Object.keys(embedded) });
  return Array.isArray(value)
    ? listTable(
        value.map((row) => withTimeSpans(row, resource)),
        look,
        { ...(columns && { columns }), ...(resource && { resource }), csvColumns },
      )
    : recordTable(withTimeSpans(onlySet ? setFields(value as Row) : (value as Row), resource), look, {
        embedded,
        ...(resource && { resource }),
      });
}

/** Where a value has times: it is one, it is a sentence of the service that has some within, or it has none. */
type Times = 'whole' | 'within' | 'none';

/** Where the fields of records have times: a text that a person has saved stays as it is. Of other rows it is not known. */
function timesOf(resource: AnyResource | undefined): ReadonlyMap<string, Times> {
  if (!resource) return new Map();
  const timesIn = ({ kind, readOnly }: FieldDescription, isComputed: boolean): Times => {
    if (kind === 'instant') return 'whole';
    return kind === 'text' && (readOnly || isComputed) ? 'within' : 'none';
  };
  return new Map([
    ...resource.columns.map((column) => [column.name, timesIn(column, false)] as const),
    ...computedColumns(resource, 'item').map((column) => [column.name, timesIn(column, true)] as const),
  ]);
}

/** Returns a record with its time spans as options take them: `5m` for 300 seconds. */
function withTimeSpans(row: Row, resource: AnyResource | undefined): Row {
  const spans = resource?.columns.filter(({ kind, acceptsText }) => kind === 'integer' && acceptsText) ?? [];
  const written = spans.flatMap(({ name }) => {
    const value = row[name];
    return typeof value === 'number' ? [[name, writeSeconds(value)] as const] : [];
  });
  return { ...row, ...Object.fromEntries(written) };
}

const maxCellLength = 80;

async function listTable(
  rows: readonly Row[],
  look: Look,
  { columns = Object.keys(rows[0] ?? {}), ...of }: Pick<TableColumns, 'columns' | 'resource' | 'csvColumns'> = {},
): Promise<string> {
  if (rows.length === 0) return '(none)\n';
  const { colours } = look;
  const times = timesOf(of.resource);
  const cells = new Map(
    columns.map((column) => [
      column,
      rows.map((row) => truncate(cell(row[column], look, times.get(column)), maxCellLength)),
    ]),
  );
  const fitted = await fitCells(cells, look, of);
  return draw([
    [...fitted.keys()].map((heading) => paint(colours, 'bold', heading)),
    ...rows.map((_row, index) =>
      [...fitted].map(([heading, texts]) => paintCell(colours, heading, texts[index] ?? '')),
    ),
  ]);
}

/**
 * Returns the columns that a terminal has room for, truncated. Only lists of records are fitted to it, because the command `get` shows
 * all of one. Columns that were chosen all stay.
 */
async function fitCells(
  cells: ReadonlyMap<string, readonly string[]>,
  { width }: Look,
  { resource, csvColumns }: Pick<TableColumns, 'resource' | 'csvColumns'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (width === undefined || !resource) return cells;
  // The heading of a reference is the field without its end.
  const headingOf = (field: string) => (cells.has(field) ? field : field.replace(/_id$/, ''));
  const rigid = resource.columns.filter(({ values }) => values !== undefined).map(({ name }) => name);
  const { fitColumns, truncateToWidth } = await import('./shown/fit-columns.ts');
  const fitted = fitColumns(
    [...cells].map(([heading, texts]) => ({ heading, cells: texts, isRigid: rigid.includes(heading) })),
    { width, secondary: csvColumns ? [] : resource.secondaryFields.map(headingOf) },
  );
  return new Map(
    fitted.map(({ heading, width }) => [
      heading,
      (cells.get(heading) ?? []).map((text) => (width === null ? text : truncateToWidth(text, width))),
    ]),
  );
}

async function recordTable(
  row: Row,
  look: Look,
  { embedded = {}, resource }: Pick<TableColumns, 'embedded' | 'resource'>,
): Promise<string> {
  const times = timesOf(resource);
  const kindOfList = (name: string) => resource && embeddedIn(resource, 'item')[name]?.resource;
  const fields = Object.entries(row);
  const lists = fields.filter(([, value]) => isListOfRecords(value)) as [string, readonly Row[]][];
  const ownFields = fields.filter(([, value]) => !isListOfRecords(value));
  const tables = [await draw(ownFields.flatMap(([name, value]) => lines(name, value, look, times.get(name))))];
  for (const [name, rows] of lists) {
    const [columns, records] = [embedded[name], kindOfList(name)];
    const table = await listTable(rows, look, { ...(columns && { columns }), ...(records && { resource: records }) });
    tables.push(`${paint(look.colours, 'bold', `${name}:`)}\n${table}`);
  }
  return tables.join('\n');
}

/** Leaves out fields that are null or empty, also of embedded records. */
function setFields(row: Row): Row {
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
  const fields = Object.entries(row).map(
    ([name, value]) => [name, isRecord(value) ? setFields(value) : value] as const,
  );
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)));
}

function lines(name: string, value: unknown, look: Look, times: Times | undefined): [string, string][] {
  const members = isRecord(value) ? Object.entries(value) : [];
  if (members.length === 0)
    return [[name, isRecord(value) ? '' : paintCell(look.colours, name, cell(value, look, times))]];
  return members.map(([key, member]) => [
    escapeControls(`${name}.${key}`),
    Array.isArray(member) ? escapeControls(JSON.stringify(member)) : cell(member, look, times),
  ]);
}

/** Whether a value is an object with members, rather than a list. */
export function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

async function draw(lines: readonly (readonly string[])[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const edges = ['top', 'bottom', 'left', 'right', 'mid'];
  const chars = Object.fromEntries(
    edges.flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`]).map((name) => [name, '']),
  );
  const table = new Table({
    chars: { ...chars, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...lines.map((line) => [...line]));
  const text = table.toString().replace(/ +$/gm, '');
  return `${text}\n`;
}

function shown(stored: unknown, timezone: string, times: Times): unknown {
  if (times === 'within' && typeof stored === 'string') return sentenceWithLocalTimes(stored, timezone);
  return times === 'whole' ? withLocalTimes(stored, timezone) : stored;
}

function cell(stored: unknown, { timezone }: Look, times: Times = 'whole'): string {
  const value = shown(stored, timezone, times);
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return escapeControls(value.join(', '));
  if (isRecord(value) && Object.keys(value).length === 0) return '';
  return escapeControls(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
