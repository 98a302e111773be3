import type { Fields, RowOf } from '../field/field-meta.ts';
import { count, instant } from '../field/fields.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { Tables } from '../store/store.ts';
import {
  type AnyRow,
  createdAtField,
  describeTable,
  idField,
  type TableDescription,
  type TableOptions,
} from '../store/table.ts';
import type { RecordServices } from './record-services.ts';

export type Operation = 'list' | 'get' | 'save' | 'delete';

/** What every record has; the service sets it. */
const recordFields = {
  id: idField,
  revision: count(1, { readOnly: true, hidden: true, unaudited: true }),
  created_at: createdAtField,
  updated_at: instant({ readOnly: true, unaudited: true }).required(),
};
export type RecordFields = RowOf<typeof recordFields>;

/** The description of one kind of record. Routes, OpenAPI, columns, commands and forms are functions of it. */
export interface Resource<out R extends AnyRow = AnyRow> extends TableDescription<R> {
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
  check?(row: R, context: CheckContext<R>): Promise<void> | void;
  /** Where secrets are inside a row's structured fields; they are encrypted before the row is written. */
  secrets?(row: R, context: SecretsContext): Promise<ValuePath[]> | ValuePath[];
}

/** Any kind of record. */
export type AnyResource = Resource;

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

interface ResourceOptions<F extends Fields> extends TableOptions<F, typeof recordFields> {
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
  const table = { ...describeTable({ ...options, fields: all, unique }), audited: true };
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
    ...(check ? { check } : {}),
    ...(secrets ? { secrets } : {}),
  };
  return Object.freeze({ ...table, ...rest });
}

function single(fields: Fields, key: readonly string[]): boolean {
  const [only] = key;
  return key.length === 1 && only !== undefined && fields[only]?.describe().meta?.unique === true;
}
