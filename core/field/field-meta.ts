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

/** The properties of a field beyond what yup validates. */
export interface FieldMeta {
  kind: Kind;
  /** One sentence for documentation and forms. */
  description?: string;
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
  /** The way in which a text is shown to people, where it is more than its letters. */
  format?: 'address' | 'email' | 'image' | 'colour' | 'resource';
  /** The resource that an id points to. */
  references?: string;
  /** `false`: the id may outlive what it points to. Otherwise the database enforces it (`on delete restrict`). */
  foreignKey?: false;
  /**
   * What happens to this record when the one it points to is deleted: `cascade` deletes it as well, `setNull` unsets the
   * reference. Without this the reference restricts: that record cannot be deleted.
   */
  onDelete?: 'cascade' | 'setNull';
  /**
   * A unique field of the record it points to, by which callers may name that record in place of its id, under the name
   * of that field. They may give the id only of a record that they may see.
   */
  namedBy?: string;
  /** Converts input into the stored value; throws an Error whose message says what is wrong. */
  parse?: (input: unknown) => unknown;
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
