import type { Schema } from 'yup';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The metadata of a field: how it is stored, shown and typed in. Columns, OpenAPI, forms and CLI options derive from
 * it.
 */
export type Kind =
  | 'text'
  | 'integer'
  | 'number'
  | 'flag'
  | 'instant'
  | 'choice'
  | 'reference'
  | 'references'
  | 'texts'
  | 'json'
  | 'binary';

/** The way in which people see and type a value. A `deadline` is a duration or a local time. */
export type FieldFormat =
  | 'address'
  | 'email'
  | 'image'
  | 'colour'
  | 'resource'
  | 'cron'
  | 'timezone'
  | 'time'
  | 'weekdays'
  | 'duration'
  | 'deadline';

/** The extensions that have options: each list has a member of this name wherever channels show it. */
export type ExtensionList = 'executors' | 'actions' | 'event_source_kinds' | 'calendar_rules';

/**
 * What says which members structured data has: the options of an extension, whose name stands in the field `by` beside the
 * data or, in a list, within the same element; or what the record that the reference `by` points to declares in a field.
 */
export type MembersRule =
  | { readonly by: string; readonly options: ExtensionList }
  | { readonly by: string; readonly declared: string };

/** The properties of a field beyond what yup validates. */
export interface FieldMeta {
  kind: Kind;
  /** One sentence for documentation and forms. */
  description?: string;
  /** What each value of a choice does, as the end of a sentence; descriptions of the field end with them. */
  meanings?: Readonly<Record<string, string>>;
  /** The form of a value for messages, where kind and limits do not tell it: `a duration such as 45s`. */
  expected?: string;
  /** Whether only the service sets the field; input that names it is rejected. */
  readOnly?: boolean;
  /** Whether input may give the field only when the record is created; it never changes afterwards. */
  immutable?: boolean;
  /** Whether the field is the service's own: in no response, no audit entry, no input. */
  hidden?: boolean;
  /** Whether a change of the field alone makes no audit entry and no new version of the record. */
  unaudited?: boolean;
  /**
   * Whether the value is secret: never shown, logged or audited; `encrypted` when it must be readable again, `hashed`
   * when not.
   */
  secret?: 'encrypted' | 'hashed';
  /** Whether no value of a text holds a comma, so that a filter may list several with commas between them. */
  separable?: boolean;
  unique?: boolean;
  indexed?: boolean;
  /**
   * Whether an option of an executor restricts what jobs may do. What a template sets of it holds for all of its jobs: one
   * with another executor is refused unless that has the same option.
   */
  restricts?: boolean;
  /** Whether lists leave the field out, because it is large. */
  detailOnly?: boolean;
  /** Whether stored text that is not JSON is read as it is, because others than the service may have written it. */
  lenient?: boolean;
  /** Whether a column is read as the database holds it: structured data as its JSON text. The memory store holds data. */
  verbatim?: boolean;
  /** The way in which people see and type a value, where it is more than its letters or digits. */
  format?: FieldFormat;
  /** The kind of extensions that a text names, or each text of a list. */
  names?: ExtensionList;
  /** What says which members structured data has, where its own schema does not. */
  members?: MembersRule;
  /** The resource that an id points to. */
  references?: string;
  /** `false`: the id may outlive what it points to. @default a foreign key keeps that record (`on delete restrict`) */
  foreignKey?: false;
  /**
   * What happens to this record when the one it points to is deleted: `cascade` deletes it as well, `setNull` unsets the
   * reference. Without this the reference restricts: that record cannot be deleted.
   */
  onDelete?: 'cascade' | 'setNull';
  /**
   * A unique field of the record it points to. Callers may name that record by it in place of its id, under the name
   * of that field. They may give the id only of a record that they may see.
   */
  namedBy?: string;
  /**
   * Converts input into the stored value; throws an Error whose message says what is wrong. It is called with whatever was
   * given; the type of its parameter says what typed input may give.
   */
  parse?(input: unknown): unknown;
  /** The schema of structured data. */
  schema?: Field;
  /** The rules of an object with arbitrary keys: their pattern, length and number, and the schema of the values. */
  entries?: { readonly key: RegExp; readonly value: Field; readonly max: number; readonly maxKey: number };
  /** The maximum characters of structured data as JSON. */
  maxSize?: number;
  /** The JSON Schema of a value that a function validates, which yup cannot describe. */
  jsonSchema?: JsonSchema;
  /** The default, where it depends on the service and not on the field alone. */
  defaultFor?: (service: { readonly timezone: string }) => unknown;
}

declare module 'yup' {
  interface CustomSchemaMetadata extends Partial<FieldMeta> {}
}

/** A yup schema that carries FieldMeta. `null` means "not set"; `.required()` forbids it. */
// biome-ignore lint/suspicious/noExplicitAny: yup's schemas are invariant in parameters that do not matter here.
export type Field<T = any> = Schema<T, any, any, any>;
export type Fields = Readonly<Record<string, Field>>;
export type ValueOf<F> = F extends { readonly __outputType: infer T } ? Exclude<T, undefined> : never;
/** The stored form of a record with those fields: every field is there, unset ones are null. */
export type RowOf<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> };

/** The options of a field. Some of them decide what input may give. */
export type FieldOptions = Omit<FieldMeta, 'kind' | 'meanings'>;

/** The same with the types of what a call gives, so that `RuleOf` can read them. An unknown option is an error. */
export type ExactOptions<M extends FieldOptions, Also extends string = never> = M & {
  readonly [K in Exclude<keyof M, keyof FieldOptions | Also>]: never;
};

/** What the type of a field says about input. The place of yup's context, which no field has, carries it. */
export interface InputRule<out S extends boolean, out A, out N extends string> {
  /** Whether input may give the field; otherwise the service alone sets it. */
  readonly settable: S;
  /** What input may give besides values of the field. */
  readonly accepts: A;
  /** The name under which input may give the record that the field refers to. */
  readonly namedBy: N;
}

/** The rule of a field with those options. @param A what input may give besides, where it sets the field. */
export type RuleOf<M extends FieldOptions, A = never> = M extends
  | { readonly readOnly: true }
  | { readonly hidden: true }
  ? InputRule<false, never, never>
  : InputRule<true, A | ParsedBy<M>, M extends { readonly namedBy: infer N extends string } ? N : never>;

/** What the parser of a field says that it takes. */
type ParsedBy<M> = M extends { readonly parse: (input: infer I) => unknown } ? (unknown extends I ? never : I) : never;

type RuleIn<F> = F extends { readonly __context: infer C extends InputRule<boolean, unknown, string> }
  ? C
  : RuleOf<FieldOptions>;

type SettableIn<F extends Fields> = {
  [K in keyof F]: RuleIn<F[K]>['settable'] extends false ? never : K;
}[keyof F];

/** A list of input may be readonly. */
type Given<T> = T extends readonly (infer E)[] ? readonly E[] : T;

/** Null, for a field that can be unset or set to its default. */
type NullFor<F> = F extends { readonly __default: null } ? Extract<ValueOf<F>, null> : null;

type InputOfFields<F extends Fields, K extends keyof F> = {
  [P in K]?: Given<ValueOf<F[P]>> | RuleIn<F[P]>['accepts'] | NullFor<F[P]>;
};

/**
 * What a save of a record with those fields may be given. A field that is left out stays as it is, or has its default in a
 * new record; null unsets one, or sets it to its default.
 */
export type InputOf<F extends Fields> = InputOfFields<F, SettableIn<F>> & {
  [K in keyof F as RuleIn<F[K]>['namedBy']]?: string;
} & {
  /** The record to update; without it the natural key decides between update and create. */
  id?: number;
};

/** The meta of a field made by one of the field helpers. */
export function metaOf(field: Field): FieldMeta {
  const { meta } = (field as Schema).spec as { meta?: FieldMeta };
  if (!meta?.kind) throw new Error('A field must be created with one of the field helpers.');
  return meta;
}

/** Whether null is a value of the field: unset. */
export function isNullable(field: Field): boolean {
  return (field as Schema).spec.nullable;
}

/** Whether a field accepts a value as it is. */
export function fits({ fields }: { readonly fields: Fields }, field: string, value: unknown): boolean {
  return fields[field]?.isValidSync(value, { strict: true }) === true;
}
