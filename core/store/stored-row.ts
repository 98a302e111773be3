import { columnOf, isOpaque, storedText, storedValue } from './stored-values.ts';
import type { AnyRow, TableDescription } from './table.ts';

const ours = new WeakSet<object>();

/** A value that nobody outside can change: bytes are copied, structured data is copied once and frozen. */
export function storedValueOf(table: TableDescription, name: string, value: unknown): unknown {
  const column = columnOf(table, name);
  if (name === 'id') throw new Error(`The id of a ${table.name} is given by the store.`);
  const stored = storedValue(table.table, column, value);
  if (stored === null || !isOpaque(column.kind)) return stored;
  return stored instanceof Uint8Array ? stored.slice() : frozen(stored);
}

/** A row as the store gives it back: every column is there, each value as it is kept. */
export function storedRowOf<R extends AnyRow>(table: TableDescription<R>, row: R): R {
  const values: Record<string, unknown> = { id: row.id };
  for (const { name } of table.columns) if (name !== 'id') values[name] = storedValueOf(table, name, row[name]);
  return values as R;
}

function frozen(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  // Minus zero becomes zero, as it does in JSON.
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value;
  if (ours.has(value)) return value;
  const { toJSON } = value as { toJSON?: () => unknown };
  if (typeof toJSON === 'function') return frozen(toJSON.call(value));
  const copy = Array.isArray(value)
    ? value.map((each) => frozen(each ?? null))
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([key, each]) => [storedText(key), frozen(each)]),
      );
  ours.add(Object.freeze(copy));
  return copy;
}
