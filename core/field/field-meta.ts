import type { Schema } from 'yup';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How a field is stored, shown and typed in. Columns, OpenAPI, forms and CLI options are functions of it. */
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

/** What a field is beyond what yup can check. */
export interface FieldMeta {
  kind: Kind;
  /** One sentence for documentation and forms. */
  description?: string;
  /** What a value looks like, where kind and limits do not say: `a duration such as 45s`. */
  form?: string;
  /** Set by the service only: refused in input. */
  readOnly?: boolean;
  /** May be given when the record is made and never changes afterwards. */
  immutable?: boolean;
  /** Kept for the service itself: in no response, no audit row, no input. */
  hidden?: boolean;
  /** Changes of it are no change of the record: no audit entry, no new version. */
  unaudited?: boolean;
  /** Never shown, logged or audited; `encrypted` when it must be readable again, `hashed` when not. */
  secret?: 'encrypted' | 'hashed';
  unique?: boolean;
  indexed?: boolean;
  /** Left out of lists: too large. */
  detailOnly?: boolean;
  /** What a text is, where people are to see more of it than its letters. */
  holds?: 'address' | 'email' | 'image' | 'colour' | 'resource';
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
  /** Turns what a caller wrote into what is stored; throws an Error whose message says what is wrong. */
  parse?: (input: unknown) => unknown;
  /** What structured data must look like inside. */
  shape?: Field;
  /** Of an object with any keys that follow a pattern: the pattern, the schema of the values, how many there may be. */
  entries?: { readonly key: RegExp; readonly value: Field; readonly most: number };
  /** What yup cannot say of a value that is checked by a function. */
  plain?: JsonSchema;
  /** The default, where it depends on the service and not on the field alone. */
  initial?: (service: { readonly timezone: string }) => unknown;
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
  if (!meta?.kind) throw new Error('A field must be made with one of the field helpers.');
  return meta;
}

/** Whether null is a value of the field: unset. */
export function isNullable(field: Field): boolean {
  return (field as Schema).spec.nullable;
}

/** Whether a field of those would take a value as it is. */
export function fits({ fields }: { readonly fields: Fields }, field: string, value: unknown): boolean {
  return fields[field]?.isValidSync(value, { strict: true }) === true;
}
