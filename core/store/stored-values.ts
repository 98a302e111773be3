import type { FieldDescription } from '../field/field-description.ts';
import type { Kind } from '../field/field-meta.ts';
import { memoized } from '../registry/memoized.ts';
import { isInstant } from '../time/instant.ts';
import type { AnyRow, TableDescription } from './table.ts';

const fits: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  choice: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  reference: Number.isSafeInteger,
  instant: isInstant,
  number: Number.isFinite,
  flag: (value) => typeof value === 'boolean',
  references: Array.isArray,
  texts: Array.isArray,
  json: (value) => value !== undefined && typeof value !== 'function',
  binary: (value) => value instanceof Uint8Array,
};

/** Whether a column of that kind can be compared with the value. */
export function isComparable(kind: Kind, value: unknown): boolean {
  return value === null || (!isOpaque(kind) && fits[kind](value));
}

/** Whether values of that kind are stored as JSON text or bytes, which can be compared with null only. */
function isOpaque(kind: Kind): boolean {
  return kind === 'json' || kind === 'texts' || kind === 'references' || kind === 'binary';
}

/**
 * Converts a value to what every store can store: NUL characters and lone surrogates, which not every database accepts,
 * become U+FFFD; minus zero becomes zero; an unset field becomes null.
 * @throws Error when the value is of the wrong kind: a mistake in the program, not of a caller.
 */
export function storedValue(table: string, column: FieldDescription, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (column.nullable) return null;
    throw new Error(`${table}.${column.name} may not be null.`);
  }
  if (!fits[column.kind](value))
    throw new Error(
      `${table}.${column.name} cannot be a ${typeof value}${typeof value === 'number' ? ` ${value}` : ''}.`,
    );
  if (typeof value === 'string') return storedText(value);
  return value === 0 ? 0 : value;
}

/** Writes structured data as JSON text without what databases reject. */
export function jsonText(value: unknown): string {
  if (isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  return /\\u(?:0000|d[89a-f])/.test(text) ? JSON.stringify(JSON.parse(text, cleaned)) : text;
}

/** Whether structured data holds nothing, as that of most rows. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  for (const _ in value) return false;
  return true;
}

function cleaned(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [storedText(key), each]));
}

/** Removes from a text what databases reject: NUL and lone surrogates become U+FFFD. */
function storedText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}

/** Returns the columns of a table by name. */
const columnsOf = memoized(
  (table: TableDescription): ReadonlyMap<string, FieldDescription> =>
    new Map(table.columns.map((column) => [column.name, column])),
);

/** @throws Error when the table has no such column. */
export function columnOf(table: TableDescription, name: string): FieldDescription {
  const column = columnsOf(table).get(name);
  if (!column) throw new Error(`${table.table} has no column ${name}.`);
  return column;
}

/** @throws Error when the table has no such column, or one whose values have no order. */
export function plainColumnOf(table: TableDescription, name: string): FieldDescription {
  const column = columnOf(table, name);
  if (isOpaque(column.kind)) throw new Error(`${table.table}.${name} can be compared with null only.`);
  return column;
}

/**
 * Converts a value to compare a column with to what the column would store.
 * @throws Error when the column cannot store such a value.
 */
export function comparedValue(table: TableDescription, column: FieldDescription, value: unknown): unknown {
  if (value === null) return null;
  if (isOpaque(column.kind)) throw new Error(`${table.table}.${column.name} can be compared with null only.`);
  return storedValue(table.table, column, value);
}

/** @throws Error when a row has a field that is not a column of the table. */
export function rejectUnknownColumns(table: TableDescription, row: object): void {
  const columns = columnsOf(table);
  for (const name in row) if (!columns.has(name)) throw new Error(`${table.table} has no column ${name}.`);
}

const frozenCopies = new WeakSet<object>();

/**
 * Copies a stored value so that callers cannot change it: bytes are copied, structured data is copied once and frozen.
 */
export function storedValueOf(table: TableDescription, name: string, value: unknown): unknown {
  const column = columnOf(table, name);
  if (name === 'id') throw new Error(`The id of a ${table.name} is given by the store.`);
  const stored = storedValue(table.table, column, value);
  if (stored === null || !isOpaque(column.kind)) return stored;
  return stored instanceof Uint8Array ? stored.slice() : frozen(stored);
}

/** Returns a row as a store does: every column is present, with its stored value. */
export function storedRowOf<R extends AnyRow>(table: TableDescription<R>, row: R): R {
  const values: Record<string, unknown> = { id: row.id };
  for (const { name } of table.columns) if (name !== 'id') values[name] = storedValueOf(table, name, row[name]);
  return values as R;
}

function frozen(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  // Replaces minus zero by zero, and what is no number in JSON by null, as JSON does.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (frozenCopies.has(value)) return value;
  const { toJSON } = value as { toJSON?: () => unknown };
  if (typeof toJSON === 'function') return frozen(toJSON.call(value));
  const copy = Array.isArray(value)
    ? value.map((each) => frozen(each ?? null))
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([key, each]) => [storedText(key), frozen(each)]),
      );
  frozenCopies.add(Object.freeze(copy));
  return copy;
}
