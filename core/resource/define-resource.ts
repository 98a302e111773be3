import { type FieldTable, fieldTable } from '../field/field-table.ts';
import { count, type Fields, instant, integer, type RowOf } from '../field/fields.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { Tables } from '../store/store.ts';
import type { RecordServices } from './record-services.ts';

/** One table of the store, as data: what columns, migrations and the memory store are made from. */
export interface TableDescription<R extends { id: number } = { id: number }> {
  /** The name of one record, as the API writes it: `RunTemplate`. */
  readonly name: string;
  /** The name of the table in a database: `run_template`. */
  readonly table: string;
  readonly fields: Fields;
  /** All columns, `id` and the service's own first. */
  readonly columns: FieldTable;
  /** Groups of fields whose values no two rows share; rows with a null among them do not count. */
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Every change of it is written to the audit log in the same transaction. */
  readonly audited: boolean;
  /** Carries the row type; never there at run time. */
  readonly row?: R;
}

export type RowOfTable<D> = D extends TableDescription<infer R> ? R : never;

export type Operation = 'list' | 'get' | 'save' | 'delete';

/** What every record has; the service sets it. */
const recordFields = {
  id: integer({ readOnly: true }).required(),
  revision: count(1, { readOnly: true, hidden: true, unaudited: true }),
  created_at: instant({ readOnly: true, unaudited: true, indexed: true }).required(),
  updated_at: instant({ readOnly: true, unaudited: true }).required(),
};
export type RecordFields = RowOf<typeof recordFields>;

/** The description of one kind of record. Routes, OpenAPI, columns, commands and forms are functions of it. */
export interface Resource<R extends RecordFields = RecordFields> extends TableDescription<R> {
  /** `eventrule`, `eventrules`, `eventRuleId`: the words of paths and commands. */
  readonly names: { readonly singular: string; readonly plural: string; readonly id: string };
  /** One sentence on what such a record is. */
  readonly description: string;
  /** Fields of a believable record, for documentation; others have their defaults. It is accepted as it stands. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly operations: readonly Operation[];
  /** It belongs to another record, beneath whose paths it is reached: it has no paths of its own. */
  readonly nested: boolean;
  /** The natural key, where there is one: saving without an id updates the record that has it. */
  readonly key: readonly string[];
  /** The fields that say most about a record in one line, where they do not follow from the others; see `glanceOf`. */
  readonly summaryFields: readonly string[] | undefined;
  /** The field that names the company a row belongs to; null for records that all companies share. */
  readonly company: string | null;
  /** The reference whose record decides the company, where the caller does not name it. */
  readonly companyFrom: string | undefined;
  /** The one hook: refuses or completes a row inside the transaction, before it is written. */
  readonly check: ((row: R, context: CheckContext<R>) => Promise<void> | void) | undefined;
  /** Where secrets are inside a row's structured fields; they are encrypted before the row is written. */
  readonly secrets: ((row: R, context: SecretsContext) => Promise<ValuePath[]> | ValuePath[]) | undefined;
}

/** Any kind of record, where its fields do not matter to the types. */
// biome-ignore lint/suspicious/noExplicitAny: the row type is used in both directions, so only any fits them all.
export type AnyResource = Resource<any>;

export interface SecretsContext {
  readonly tables: Tables;
  readonly service: RecordServices;
}

export interface CheckContext<R> extends SecretsContext {
  /** The row as it was; undefined when it is new. */
  readonly before: R | undefined;
  /** Whether the caller gave null for it, in place of leaving it as it is. */
  isCleared(field: keyof R & string): boolean;
  /** Notes one wrong field; the save is refused after the hook has returned. */
  refuse(field: string, message: string): void;
}

interface TableOptions<F extends Fields> {
  readonly name: string;
  readonly fields: F;
  readonly unique?: readonly (readonly (keyof F & string)[])[];
  readonly indexes?: readonly (readonly (keyof (F & typeof recordFields) & string)[])[];
}

interface ResourceOptions<F extends Fields> extends TableOptions<F> {
  readonly names: Resource['names'];
  readonly description: string;
  readonly example: { readonly [K in keyof (F & typeof recordFields)]?: unknown };
  readonly operations: readonly Operation[];
  readonly nested?: boolean;
  readonly key?: readonly (keyof F & string)[];
  /** Also names of what is shown with a record but kept outside it. */
  readonly summaryFields?: readonly string[];
  readonly company: (keyof F & string) | 'id' | null;
  readonly companyFrom?: keyof F & string;
  readonly check?: NonNullable<Resource<RowOf<F> & RecordFields>['check']>;
  /** Needs a field `cipher_key`, made with `cipherKeyField`. */
  readonly secrets?: NonNullable<Resource<RowOf<F> & RecordFields>['secrets']>;
}

/** Describes a kind of record: audited, versioned, reachable through every channel. */
export function defineResource<F extends Fields>(options: ResourceOptions<F>): Resource<RowOf<F> & RecordFields> {
  const { name, fields, names, description, example, operations, company, companyFrom, summaryFields, check, secrets } =
    options;
  const nested = options.nested ?? false;
  if (secrets && !fields['cipher_key']) throw new Error(`${name} has secrets, so it needs a field "cipher_key".`);
  const all = { ...recordFields, ...fields };
  const key = options.key ?? [];
  const unique = [...(options.unique ?? []), ...(key.length > 0 && !single(fields, key) ? [key] : [])];
  const table = { ...describeTable(name, all, unique, options.indexes), audited: true };
  const rest = {
    names,
    description,
    example,
    operations,
    nested,
    key,
    summaryFields,
    company,
    companyFrom,
    check,
    secrets,
  };
  return Object.freeze({ ...table, ...rest });
}

/** Describes a table of the service's own bookkeeping: not audited, not reachable from outside. */
export function defineBookkeeping<F extends Fields>(
  options: TableOptions<F>,
): TableDescription<RowOf<F> & { id: number }> {
  const all = { id: recordFields.id, ...options.fields };
  return Object.freeze({ ...describeTable(options.name, all, options.unique, options.indexes), audited: false });
}

/** A table of entries that are written once: an id and a time, but no version. */
export function defineJournal<F extends Fields>(
  options: TableOptions<F>,
): TableDescription<RowOf<F> & Pick<RecordFields, 'id' | 'created_at'>> {
  const { id, created_at } = recordFields;
  return Object.freeze({
    ...describeTable(options.name, { id, created_at, ...options.fields }, options.unique, options.indexes),
    audited: false,
  });
}

function describeTable(
  name: string,
  fields: Fields,
  unique: readonly (readonly string[])[] = [],
  indexes: readonly (readonly string[])[] = [],
) {
  const columns = fieldTable(fields);
  return {
    name,
    table: name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
    fields,
    columns,
    unique: [...columns.filter((column) => column.unique).map((column) => [column.name]), ...unique],
    indexes: [
      ...columns.filter((column) => column.indexed && !column.unique).map((column) => [column.name]),
      ...indexes,
    ],
  };
}

function single(fields: Fields, key: readonly string[]): boolean {
  const [only] = key;
  return key.length === 1 && only !== undefined && fields[only]?.describe().meta?.unique === true;
}
