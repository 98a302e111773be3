import { type FormatContext, isPlainObject, type PlainRecord } from '@horarium/core/plugin';

/** A column: a field, or one member of the object in a field. */
export interface Column {
  readonly name: string;
  read(row: PlainRecord): unknown;
}

/**
 * The columns of a table: those of its first rows, or where there are no rows those of the record's description.
 */
export function columnsOf(rows: readonly PlainRecord[], context: FormatContext): Column[] {
  const names = rows.length > 0 ? keysOf(rows) : knownNames(context);
  return names.flatMap((name) => {
    const inside = rows.map((row) => row[name]).filter(isPlainObject);
    const keys = isOpen(name, context) ? [] : keysOf(inside);
    return keys.length === 0 ? [fieldColumn(name)] : keys.map((key) => innerColumn(name, key));
  });
}

function knownNames({ fields, summaryFields = [] }: FormatContext): readonly string[] {
  return fields?.filter((field) => !field.detailOnly).map((field) => field.name) ?? summaryFields;
}

/** Rows of a record: one for each record of the list inside it, if it has one; long texts are not repeated. */
export function unfold(row: PlainRecord, { embedded = {} }: FormatContext): PlainRecord[] {
  const list = Object.keys(embedded).find((name) => Array.isArray(row[name]));
  if (list === undefined) return [row];
  const [first = null, ...more] = row[list] as unknown[];
  const short = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isLong(value) ? null : value]));
  return [{ ...row, [list]: first }, ...more.map((each) => ({ ...short, [list]: each }))];
}

/** Whether users choose the keys inside a field, so that these are not columns. */
function isOpen(name: string, { fields }: FormatContext): boolean {
  return fields?.some((field) => field.name === name && field.kind === 'json') ?? false;
}

function fieldColumn(name: string): Column {
  return { name, read: (row) => own(row, name) };
}

function innerColumn(field: string, key: string): Column {
  const read = (row: PlainRecord) => {
    const inside = own(row, field);
    return isPlainObject(inside) ? own(inside, key) : inside;
  };
  return { name: `${field}.${key}`, read };
}

function own(row: PlainRecord, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : null;
}

function keysOf(rows: readonly PlainRecord[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > 1000;
}
