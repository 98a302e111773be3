import type { FieldDescription, Store, TableDescription } from '@horarium/core';
import type { AnyRow } from '@horarium/core/store';

/** Inserts the same number of rows into every table, first into the tables that others refer to. */
export async function fillTables(store: Store, tables: readonly TableDescription[], rows = 3): Promise<void> {
  const ids = new Map<string, readonly number[]>();
  const referencesOf = ({ columns }: TableDescription) =>
    columns.flatMap(({ references, foreignKey, nullable }) =>
      references !== undefined && foreignKey !== false && !nullable ? [references] : [],
    );
  for (let waiting = [...tables]; waiting.length > 0; ) {
    const ready = waiting.filter((table) => referencesOf(table).every((name) => ids.has(name)));
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle.');
    for (const table of ready) {
      const filled = Array.from({ length: rows }, (_, index) => fillerRow(table, { index, ids }));
      ids.set(table.name, await store.transaction((transaction) => transaction.of(table).insert(filled)));
    }
    waiting = waiting.filter((table) => !ids.has(table.name));
  }
}

interface Position {
  readonly index: number;
  readonly ids: ReadonlyMap<string, readonly number[]>;
}

/** Makes a row of a table; the first one has nulls where it may. */
export function fillerRow({ columns }: TableDescription, position: Position): Omit<AnyRow, 'id'> {
  const own = columns.filter(({ name }) => name !== 'id');
  return Object.fromEntries(own.map((column) => [column.name, fillerValue(column, position)]));
}

function fillerValue({ name, kind, values, references, nullable, foreignKey }: FieldDescription, position: Position) {
  const { index, ids } = position;
  // A row without it and rows with it, so that unique groups with nulls among them are filled as well.
  if (nullable && index === 0) return null;
  if (kind === 'reference')
    return foreignKey === false ? index + 1 : (ids.get(`${references}`)?.[index] ?? (nullable ? null : index + 1));
  if (kind === 'choice') return values?.[index % values.length] ?? 'x';
  if (kind === 'text') return `${name} ${index} 'quoted' "x" ü`;
  if (kind === 'flag') return index % 2 === 0;
  if (kind === 'instant') return Date.UTC(2026, 0, 1) + index;
  if (kind === 'binary') return new Uint8Array([0, 255, index]);
  if (kind === 'texts') return ['a', `b${index}`];
  if (kind === 'references') return [index];
  return kind === 'json' ? { z: index, a: null } : index + 1;
}
