import { array, boolean, mixed, number, type Schema, string, ValidationError } from 'yup';
import type { Instant } from '../loop/clock.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { parseInstant } from '../time/instant.ts';
import type { JsonSchema } from './json-schema.ts';

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
  holds?: 'address' | 'email' | 'image' | 'colour';
  /** The resource that an id points to; the database enforces it (`on delete restrict`) unless it is loose. */
  references?: string;
  /** The id may outlive what it points to. */
  loose?: boolean;
  /**
   * What becomes of this record when the one it points to is deleted: `goes` with it, being a part of it, or is
   * `cleared` of it. Without this it keeps that from being deleted.
   */
  onDelete?: 'cascade' | 'setNull';
  /** Turns what a caller wrote into what is stored; throws an Error whose message says what is wrong. */
  parse?: (input: unknown) => unknown;
  /** What structured data must look like inside. */
  shape?: Field;
  /** Of an object with any keys that follow a pattern: the pattern, the schema of the values, how many there may be. */
  entries?: { readonly key: RegExp; readonly value: Field; readonly most: number };
  /** What yup cannot say of a value that is checked by a function. */
  plain?: JsonSchema;
  /** The default, where it depends on the service and not on the field alone. */
  initial?: (service: RecordServices) => unknown;
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

type More = Omit<FieldMeta, 'kind'>;

export function text(max: number, more: More = {}) {
  return string()
    .max(max)
    .nullable()
    .default(null)
    .meta({ kind: 'text', ...more });
}

export function integer(more: More = {}) {
  return number()
    .integer()
    .min(-Number.MAX_SAFE_INTEGER)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .meta({ kind: 'integer', ...more });
}

/** Whole, zero or more, with a default: counts, seconds, priorities that may not be null. */
export function count(initial: number, more: More = {}) {
  return number()
    .integer()
    .min(0)
    .max(2 ** 31 - 1)
    .default(initial)
    .meta({ kind: 'integer', ...more });
}

export function flag(initial: boolean, more: More = {}) {
  return boolean()
    .default(initial)
    .meta({ kind: 'flag', ...more });
}

export function choice<const T extends string>(values: readonly T[], more: More = {}) {
  return string<T>()
    .oneOf(values)
    .nullable()
    .default(null)
    .meta({ kind: 'choice', ...more });
}

/** A moment. Written as RFC 3339 with any offset; stored as milliseconds since 1970. */
export function instant(more: More = {}) {
  return number<Instant>()
    .integer()
    .nullable()
    .default(null)
    .meta({ kind: 'instant', parse: parseInstant, ...more });
}

/** The id of one record of another resource. */
export function ref(resource: string, more: More = {}) {
  return number()
    .integer()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .meta({ kind: 'reference', references: resource, indexed: true, ...more });
}

/** The ids of several records of another resource. */
export function refs(resource: string, more: More = {}) {
  return array()
    .of(number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required())
    .max(1000)
    .default([])
    .meta({ kind: 'references', references: resource, ...more });
}

export function texts(max: number, more: More = {}) {
  return array()
    .of(string().max(max).defined())
    .max(1000)
    .default([])
    .meta({ kind: 'texts', ...more });
}

/** Structured data checked by a schema of its own; stored as JSON. */
export function json<F extends Field>(shape: F, initial: NoInfer<ValueOf<F>>, more: More = {}) {
  return mixed()
    .defined()
    .default(() => initial as never)
    .test(nested(shape))
    .meta({ kind: 'json', shape, ...more }) as unknown as Schema<ValueOf<F> & {}>;
}

/** Structured data that may be unset. */
export function optionalJson<F extends Field>(shape: F, more: More = {}) {
  return mixed()
    .nullable()
    .default(null)
    .test(nested(shape))
    .meta({ kind: 'json', shape, ...more }) as unknown as Schema<(ValueOf<F> & {}) | null>;
}

/** Bytes. For the service's own tables only: no channel takes or shows them. */
export function binary(more: More = {}) {
  return mixed<Uint8Array>((value): value is Uint8Array => value instanceof Uint8Array)
    .nullable()
    .default(null)
    .meta({ kind: 'binary', ...more });
}

/** An object whose keys follow a pattern and whose values follow a schema: `{KEY: text}`. */
export function mapOf<T>(value: Field<T>, key: { readonly pattern: RegExp; readonly words: string }, most = 1000) {
  const check = (given: unknown): given is Record<string, T> => isPlainObject(given);
  return mixed<Record<string, T>>({ type: 'object', check })
    .test('map', (given, context) => {
      if (given === undefined || given === null) return true;
      const entries = Object.entries(given);
      if (entries.length > most)
        return context.createError({ message: `${context.path} may have at most ${most} keys` });
      const errors: ValidationError[] = [];
      for (const [name, item] of entries) {
        const path = context.path ? `${context.path}.${name}` : name;
        if (!key.pattern.test(name)) errors.push(new ValidationError(`${path} is not ${key.words}`, name, path));
        collect(errors, () => value.validateSync(item, { strict: true, abortEarly: false, path } as object));
      }
      return errors.length === 0 || new ValidationError(errors, given, context.path);
    })
    .meta({ entries: { key: key.pattern, value, most } });
}

function nested<T>(shape: Field<T>) {
  return {
    name: 'shape',
    test: (value: unknown, context: { path: string }) => {
      if (value === undefined || value === null) return true;
      const errors: ValidationError[] = [];
      const options = { strict: true, abortEarly: false, path: context.path } as object;
      collect(errors, () => shape.validateSync(value, options));
      return errors.length === 0 || new ValidationError(errors, value, context.path);
    },
  };
}

function collect(errors: ValidationError[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    errors.push(error);
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** The meta of a field made by a helper of this file. */
export function metaOf(field: Field): FieldMeta {
  const { meta } = (field as Schema).spec as { meta?: FieldMeta };
  if (!meta?.kind) throw new Error('A field must be made with one of the field helpers.');
  return meta;
}
