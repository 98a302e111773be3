import type { FieldDescription } from '../field/field-description.ts';
import { holdsTimes, writeTimes } from '../field/json-times.ts';
import { memoized } from '../registry/memoized.ts';
import { mask, maskCiphertext } from '../secret/ciphertext.ts';
import type { TableDescription } from '../store/table.ts';
import { formatInstant, isInstant } from '../time/instant.ts';
import type { AnyResource } from './define-resource.ts';

/** The columns of a table that may leave the service. */
export const visibleColumns = memoized(({ columns }: TableDescription): readonly FieldDescription[] =>
  columns.filter((column) => !column.hidden && column.kind !== 'binary' && column.secret !== 'hashed'),
);

/** The columns that rows of a list are read with: those that are not only for single records. */
export const listColumns = memoized(({ columns }: TableDescription): readonly string[] =>
  columns.filter((column) => !column.detailOnly).map((column) => column.name),
);

/** Serializes a row as channels show it: hidden fields left out, secrets masked, times as RFC 3339. */
export function serializeRow(resource: AnyResource | TableDescription, row: object): Record<string, unknown> {
  const values = row as Readonly<Record<string, unknown>>;
  const { item, list, detailNames } = plansOf(resource);
  const { blank, names, serializers } = detailNames.some((name) => name in values) ? item : list;
  const serialized: Record<string, unknown> = { ...blank };
  let isPartial = false;
  // A loop by index: iterators allocate an object or two for each field of each row, most of the memory of a list.
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const value = values[name];
    if (value === undefined) isPartial ||= !(name in values);
    else if (value !== null) serialized[name] = (serializers[index] as Serializer)(value);
  }
  return isPartial ? Object.fromEntries(Object.entries(serialized).filter(([name]) => name in values)) : serialized;
}

/**
 * How the rows of a table are serialized: a blank record is copied and its fields are set. V8 turns objects that get more
 * than a dozen properties one by one into slow dictionaries, which double the cost of lists.
 */
interface SerializationPlan {
  /** A record with all fields null. */
  readonly blank: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  /** The serializer of each field, in the order of `names`. */
  readonly serializers: readonly Serializer[];
}

type Serializer = (value: unknown) => unknown;

interface SerializationPlans {
  readonly item: SerializationPlan;
  /** Rows read for a list lack the columns that only single items show. */
  readonly list: SerializationPlan;
  readonly detailNames: readonly string[];
}

/** The plans of a table, made once because lists serialize thousands of rows. */
const plansOf = memoized((description: TableDescription): SerializationPlans => {
  const columns = visibleColumns(description);
  return {
    item: planFor(columns),
    list: planFor(columns.filter((column) => !column.detailOnly)),
    detailNames: columns.filter((column) => column.detailOnly).map((column) => column.name),
  };
});

function planFor(columns: readonly FieldDescription[]): SerializationPlan {
  return {
    blank: Object.fromEntries(columns.map(({ name }) => [name, null])),
    names: columns.map(({ name }) => name),
    serializers: columns.map(serializerFor),
  };
}

function serializerFor({ kind, secret, jsonSchema }: FieldDescription): Serializer {
  if (secret) return () => mask;
  // Another program may have written something into the database that is no time.
  if (kind === 'instant') return (value) => (isInstant(value) ? formatInstant(value) : null);
  if (jsonSchema && holdsTimes(jsonSchema)) return (value) => writeTimes(jsonSchema, maskCiphertext(value));
  return maskCiphertext;
}
