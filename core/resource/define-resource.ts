import type { FieldError } from '../errors.ts';
import { describeFields, type FieldDescriptions } from '../field/field-description.ts';
import { type Fields, type InputOf, metaOf, type RowOf } from '../field/field-meta.ts';
import { count, instant } from '../field/fields.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import {
  type AnyRow,
  createdAtField,
  describeTable,
  idField,
  type TableDescription,
  type TableOptions,
} from '../store/table.ts';
import type { Actor } from './actor.ts';
import type { Permissions } from './permissions.ts';
import type { RecordServices } from './record-services.ts';

export type Operation = 'list' | 'get' | 'save' | 'delete';

/** The fields that every record has and the service sets. */
const recordFields = {
  id: idField,
  revision: count(1, { readOnly: true, hidden: true, unaudited: true }),
  created_at: createdAtField,
  updated_at: instant({ readOnly: true, unaudited: true }).required(),
};
export type RecordFields = RowOf<typeof recordFields>;

/**
 * The description of one kind of record. Permissions, routes, OpenAPI, columns, commands, forms and audit are functions
 * of it.
 */
export interface Resource<out R extends AnyRow = AnyRow, out I extends object = object> extends TableDescription<R> {
  /** Its names in paths, parameters and commands: `eventrule`, `eventrules`, `eventRuleId`. */
  readonly names: {
    readonly singular: string;
    readonly plural: string;
    readonly id: string;
    /** What people call one and many of them. @default the words of its name */
    readonly nouns?: readonly [one: string, many: string];
  };
  /** One sentence on what such a record is. */
  readonly description: string;
  /** The fields of an example record, for documentation; the others have their defaults. Saving it succeeds as it is. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly operations: readonly Operation[];
  /** A property that carries the type of input for the compiler, and never exists at run time. */
  readonly $input?: I;
  /** Who may read, create, update and delete it. */
  readonly permissions: Permissions;
  /** Whether the records are served only below the path of the record that they belong to. */
  readonly nested: boolean;
  /** The natural key, empty where there is none. A save without an id updates the record that has the given key. */
  readonly key: readonly string[];
  /** The fields that identify a record in one line; undefined = `summaryFieldsOf` derives them. */
  readonly summaryFields: readonly string[] | undefined;
  /** The summary fields that a narrow screen leaves out, the least needed first. */
  readonly secondaryFields: readonly string[];
  /** The fields with which a form begins; the others follow in the order of the table. */
  readonly leadingFields: readonly string[];
  /** The instant that `from` and `to` filter lists by; undefined where lists have no such filter. */
  readonly period: string | undefined;
  /** The field that names the company a row belongs to; null for records that all companies share. */
  readonly company: string | null;
  /** The reference from whose record the company is taken, where callers do not set it. */
  readonly companyFrom: string | undefined;
  /** Fields that are shown with a record but not stored in it. */
  readonly computed: readonly Computed[];
  /** Run in the transaction of each save and deletion by Records; later layers add theirs by `contribute`. */
  readonly reactions: readonly Reaction<R>[];
  /** The tables of fields that `addFields` has added; their rows are deleted with the record. */
  readonly added: readonly TableDescription[];
  /** Finds the rows of a list by more than their columns. */
  readonly lookup?: ListLookup;
  /** Whether changes that the service itself makes in one transaction may share entries of the audit log. */
  readonly sharesEntries?: boolean;
  /** Whether deletions are written to the audit log although other changes are not. */
  readonly auditsDeletions?: boolean;
  /** Validates or completes a row inside the transaction, before it is written. */
  check?(row: R, context: CheckContext<R>): Promise<void> | void;
  /** Returns the paths of the secrets in a row's structured fields; they are encrypted before the row is written. */
  secrets?(row: R, context: SecretsContext): Promise<ValuePath[]> | ValuePath[];
}

/** Any kind of record. */
export type AnyResource = Resource;

/** The fields that a save of such a record takes: `InputOfResource<typeof Company>`. */
export type InputOfResource<D> = D extends Resource<AnyRow, infer I> ? I : never;

/** Returns the conditions to read a list by in place of those that it has, and how to show each row that is found. */
export type ListLookup = (
  tables: Tables,
  where: Where,
) => Promise<{ readonly where: Where; show(row: AnyRow): AnyRow }>;

/** A record that is created (no `before`), updated or deleted (no `after`). */
export interface RecordChange<R> {
  readonly before: R | undefined;
  readonly after: R | undefined;
}

/**
 * Reacts to a change of a record by Records, in the same transaction: after a save, and before a deletion. It does not
 * run when use cases (jobs, tasks, tokens, own passwords) write. An error that it throws rolls the change back. The type
 * is that of a method, whose parameters TypeScript compares in both directions, so that a resource with reactions is
 * assignable to `AnyResource`.
 */
export type Reaction<R> = {
  react(change: RecordChange<R>, tables: Tables, service: RecordServices): Promise<void>;
}['react'];

export interface ComputedOptions<R = AnyRow> {
  /** The computed fields, described as stored fields are. @default none */
  readonly fields?: Fields;
  /** The resources of the records that a field embeds, alone or in a list. @default none */
  readonly embeds?: Readonly<Record<string, Embedded>>;
  /** Whether only single items show the fields, because they cost too much in lists. @default false */
  readonly detailOnly?: boolean;
  /** Returns the values for each row, in the order of the rows. @default only fields embedded `by` a reference have values */
  load?(tables: Tables, rows: readonly R[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface Embedded {
  readonly resource: AnyResource;
  /**
   * The field of the embedded records that refers to this one. Those records are embedded as lists show them, oldest
   * first, and a change of one counts as a change of this one. Without it `load` returns the embedded records.
   */
  readonly by?: string;
  /** Whether a record may have such records; the others are shown with none, unread. @default each may */
  mayHave?(row: AnyRow): boolean;
}

/** Fields that are shown with a record but not stored in it. */
export interface Computed extends ComputedOptions {
  readonly columns: FieldDescriptions;
}

export function describeComputed(options: ComputedOptions): Computed {
  return { ...options, columns: describeFields(options.fields ?? {}) };
}

export interface SecretsContext {
  readonly tables: Tables;
  readonly service: RecordServices;
}

export interface CheckContext<R> extends SecretsContext {
  /** Who saves the row. */
  readonly actor: Actor;
  /** The stored row; undefined for a new one. */
  readonly before: R | undefined;
  /** Whether the input sets the field to null, rather than leaving it out. */
  isCleared(field: keyof R & string): boolean;
  /** The invalid fields: the hook adds those it finds. The save fails with all of them after the hook has returned. */
  readonly errors: FieldError[];
}

/** The options that channels need of every kind of record. */
interface ChannelOptions<F extends Fields, Own extends Fields> {
  readonly names: Resource['names'];
  readonly description: string;
  readonly example: { readonly [K in keyof (F & Own)]?: unknown };
  readonly permissions: Permissions;
  /** They may include computed fields. @default derived by `summaryFieldsOf` */
  readonly summaryFields?: readonly string[];
  /** @default none */
  readonly secondaryFields?: readonly string[];
  /** @default none: forms have the order of the table */
  readonly leadingFields?: readonly (keyof F & string)[];
  /** @default lists have no such filter */
  readonly period?: keyof (F & Own) & string;
  readonly company: (keyof F & string) | 'id' | null;
  /** @default none */
  readonly computed?: readonly ComputedOptions<RowOf<F> & RowOf<Own>>[];
}

interface ResourceOptions<F extends Fields>
  extends TableOptions<F, typeof recordFields>,
    ChannelOptions<F, typeof recordFields> {
  readonly operations: readonly Operation[];
  /** @default false */
  readonly nested?: boolean;
  /** @default none */
  readonly key?: readonly (keyof F & string)[];
  /** @default none: callers set the company */
  readonly companyFrom?: keyof F & string;
  /** Whether changes that the service itself makes in one transaction may share entries of the audit log. @default false */
  readonly sharesEntries?: boolean;
  /** @default none */
  readonly reactions?: readonly Reaction<RowOf<F> & RecordFields>[];
  /** @default rows are written as they are validated against the fields */
  readonly check?: NonNullable<Resource<RowOf<F> & RecordFields>['check']>;
  /** Needs a field `cipher_key`, made with `cipherKeyField`. @default no field has secrets */
  readonly secrets?: NonNullable<Resource<RowOf<F> & RecordFields>['secrets']>;
}

/** Describes a kind of record: audited, versioned, reachable through every channel. */
export function defineResource<F extends Fields>(
  options: ResourceOptions<F>,
): Resource<RowOf<F> & RecordFields, InputOf<F>> {
  const { name, fields, key = [], secrets } = options;
  if (fields['created']) throw new Error(`${name} has a field "created", the name of what a save returns with a row.`);
  if (secrets && !fields['cipher_key']) throw new Error(`${name} has secrets, so it needs a field "cipher_key".`);
  const unique = [...(options.unique ?? []), ...(key.length > 0 && !isUniqueField(fields, key) ? [key] : [])];
  return Object.freeze({
    ...withListIndexes(options, describeTable({ ...options, fields: { ...recordFields, ...fields }, unique })),
    ...channelOptions(options),
    audited: true,
    operations: options.operations,
    nested: options.nested ?? false,
    key,
    companyFrom: options.companyFrom,
    computed: (options.computed ?? []).map(describeComputed),
    reactions: options.reactions ?? [],
    added: [],
    ...(options.sharesEntries && { sharesEntries: true }),
    ...(options.check && { check: options.check }),
    ...(secrets && { secrets }),
  });
}

const journalFields = { id: idField, created_at: createdAtField };

interface JournalOptions<F extends Fields>
  extends TableOptions<F, typeof journalFields>,
    ChannelOptions<F, typeof journalFields> {
  /** @default lists find rows by their columns */
  readonly lookup?: ListLookup;
  /** Whether deletions are written to the audit log; they share entries. @default false */
  readonly auditsDeletions?: boolean;
}

/** Describes a journal: entries with an id and a time that the service writes, unaudited, and callers only read. */
export function defineJournal<F extends Fields>(
  options: JournalOptions<F>,
): Resource<RowOf<F> & RowOf<typeof journalFields>> {
  return Object.freeze({
    ...describeTable({ ...options, fields: { ...journalFields, ...options.fields } }),
    ...channelOptions(options),
    audited: false,
    operations: ['list', 'get'] as const,
    nested: false,
    key: [],
    companyFrom: undefined,
    computed: (options.computed ?? []).map(describeComputed),
    reactions: [],
    added: [],
    ...(options.lookup && { lookup: options.lookup }),
    ...(options.auditsDeletions && { auditsDeletions: true, sharesEntries: true }),
  });
}

function channelOptions<F extends Fields, Own extends Fields>(options: ChannelOptions<F, Own>) {
  const { names, description, example, permissions, period, company } = options;
  const { summaryFields, secondaryFields = [], leadingFields = [] } = options;
  return { names, description, example, permissions, summaryFields, secondaryFields, leadingFields, period, company };
}

/** Indexes name and code where no index begins with them, so that every list can be ordered by them. */
function withListIndexes<T extends Pick<TableDescription, 'unique' | 'indexes'>>(
  { operations, fields }: { readonly operations: readonly Operation[]; readonly fields: Fields },
  table: T,
): T {
  if (!operations.includes('list')) return table;
  const indexed = new Set([...table.unique, ...table.indexes].map(([column]) => column));
  const missing = ['name', 'code'].filter((column) => column in fields && !indexed.has(column));
  return { ...table, indexes: [...table.indexes, ...missing.map((column) => [column])] };
}

function isUniqueField(fields: Fields, key: readonly string[]): boolean {
  const [only] = key;
  const field = key.length === 1 && only !== undefined ? fields[only] : undefined;
  return field !== undefined && metaOf(field).unique === true;
}
