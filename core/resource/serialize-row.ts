import type { FieldRow } from '../field/field-table.ts';
import { mask, maskCiphertext } from '../secret/ciphertext.ts';
import type { TableDescription } from '../store/table.ts';
import { formatInstant } from '../time/instant.ts';
import type { AnyResource } from './define-resource.ts';

/** The fields of a record that may leave the service. */
export function visibleColumns(description: TableDescription): readonly FieldRow[] {
  let columns = known.get(description);
  if (!columns) {
    columns = description.columns.filter(
      (column) => !column.hidden && column.kind !== 'binary' && column.secret !== 'hashed',
    );
    known.set(description, columns);
  }
  return columns;
}
const known = new WeakMap<TableDescription, readonly FieldRow[]>();

/** A row as the channels show it: hidden fields left out, secrets masked, times as RFC 3339. */
export function serializeRow(resource: AnyResource | TableDescription, row: object): Record<string, unknown> {
  const values = row as Readonly<Record<string, unknown>>;
  const { whole, listed } = formsOf(resource);
  const { blank, names, ways } = listed.lacks.some((name) => name in values) ? whole : listed;
  const shown: Record<string, unknown> = { ...blank };
  let missing = false;
  // By index: an iterator makes an object or two for each field of each row, most of the memory that a list took.
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    const value = values[name];
    if (value === undefined) missing ||= !(name in values);
    else if (value !== null) shown[name] = (ways[at] as Way)(value);
  }
  return missing ? Object.fromEntries(Object.entries(shown).filter(([name]) => name in values)) : shown;
}

/**
 * Shown rows with some fields, all of them null yet. They are copied and filled: V8 makes slow dictionaries of objects
 * that are given more than a dozen fields one by one, and they cost lists twice as much to make and to write.
 */
interface Form {
  readonly blank: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  /** How each of them is shown. */
  readonly ways: readonly Way[];
}

type Way = (value: unknown) => unknown;

interface Forms {
  readonly whole: Form;
  /** Without what only single items hold. */
  readonly listed: Form & { readonly lacks: readonly string[] };
}

/** Found out once for each description: lists ask for thousands of rows. */
function formsOf(description: TableDescription): Forms {
  let forms = made.get(description);
  if (!forms) {
    const columns = visibleColumns(description);
    const lacks = columns.filter((column) => column.detailOnly).map((column) => column.name);
    const listed = formOf(columns.filter((column) => !column.detailOnly));
    forms = { whole: formOf(columns), listed: { ...listed, lacks } };
    made.set(description, forms);
  }
  return forms;
}
const made = new WeakMap<TableDescription, Forms>();

function formOf(columns: readonly FieldRow[]): Form {
  return {
    blank: Object.fromEntries(columns.map(({ name }) => [name, null])),
    names: columns.map(({ name }) => name),
    ways: columns.map(wayOf),
  };
}

function wayOf({ kind, secret }: FieldRow): Way {
  if (secret) return () => mask;
  if (kind === 'instant') return (value) => formatInstant(value as number);
  return maskCiphertext;
}
