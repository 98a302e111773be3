import type { FieldDescription } from '../field/field-description.ts';
import type { JsonSchema, Kind } from '../field/field-meta.ts';

/** What a form shows a value as: the kind of a field, or the shape of structured data; `scalar` is a text, a number or a flag. */
export type FormType = Exclude<Kind, 'binary'> | 'scalar' | 'object' | 'list' | 'map';

/** A value that a form shows: that of a field, or a part of structured data. What has no meaning for it is left out. */
export interface FormValue {
  readonly type: FormType;
  /** Whether it may be unset. */
  readonly nullable?: true;
  readonly choices?: readonly string[];
  /** The least of a number, of the characters of a text, or of the entries of a list. */
  readonly min?: number;
  /** The most of the same, and of the keys of a map. */
  readonly max?: number;
  /** A regular expression that a text matches. */
  readonly pattern?: string;
  /** Of an object, in the order of a form. */
  readonly fields?: readonly FormMember[];
  /** Each element of a list. */
  readonly item?: FormValue;
  /** The keys of a map. */
  readonly keys?: Pick<FormValue, 'min' | 'max' | 'pattern'>;
  /** Each value of a map. */
  readonly value?: FormValue;
}

/** A member of an object. */
export interface FormMember extends FormValue {
  readonly name: string;
  readonly label: string;
  readonly required?: true;
}

/** Describes the value of a field. */
export function formValueOf(column: FieldDescription): FormValue {
  const { kind, jsonSchema, min, max, pattern, values } = column;
  if (kind === 'json') return formValueOfSchema(jsonSchema ?? {});
  const isId = kind === 'reference' || kind === 'references';
  return defined({
    type: kind as FormType,
    nullable: column.nullable || undefined,
    choices: values,
    min: isId ? undefined : limit(min),
    max: kind === 'reference' ? undefined : limit(max),
    pattern,
    item: kind === 'texts' ? formValueOfSchema((jsonSchema?.['items'] ?? {}) as JsonSchema) : undefined,
  });
}

/** Describes structured data, and whatever is in it, from its schema. */
function formValueOfSchema(schema: JsonSchema): FormValue {
  const types = [schema['type'] ?? []].flat().map(String);
  const nullable = types.includes('null') ? ({ nullable: true } as const) : {};
  return {
    ...ofType(
      types.filter((type) => type !== 'null'),
      schema,
    ),
    ...nullable,
  };
}

function ofType([type, ...others]: readonly string[], schema: JsonSchema): FormValue {
  const { enum: values, items, properties, required, additionalProperties: value } = schema;
  const bounds = boundsOf(schema);
  if (values) return { type: 'choice', choices: (values as readonly unknown[]).filter(isText) };
  if (others.length > 0) return { type: 'scalar', ...bounds };
  if (type === 'array') return { type: 'list', ...bounds, item: formValueOfSchema((items ?? {}) as JsonSchema) };
  if (type === 'object' && properties) {
    const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    return { type: 'object', fields: members.map(([name, member]) => memberOf(name, member, required)) };
  }
  if (type === 'object' && isSchema(value)) {
    const keys = (schema['propertyNames'] ?? {}) as JsonSchema;
    return { type: 'map', ...bounds, keys: boundsOf(keys), value: formValueOfSchema(value) };
  }
  if (schema['format'] === 'date-time') return { type: 'instant' };
  const plain = plainTypes[type ?? ''];
  return plain ? { type: plain, ...bounds } : { type: 'json' };
}

const plainTypes: Readonly<Record<string, FormType>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'flag',
};

function memberOf(name: string, schema: JsonSchema, required: unknown): FormMember {
  const isRequired = Array.isArray(required) && required.includes(name);
  return { name, label: labelOf(name), ...(isRequired && { required: true }), ...formValueOfSchema(schema) };
}

/** Whether the values of a map have a schema that says something: a map of anything is edited as JSON. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

const isText = (value: unknown) => typeof value === 'string';

/** The keywords of JSON Schema for the least and the most, of every type. */
const leastKeywords = ['minLength', 'minimum', 'minItems'];
const mostKeywords = ['maxLength', 'maximum', 'maxItems', 'maxProperties'];

function boundsOf(schema: JsonSchema): Pick<FormValue, 'min' | 'max' | 'pattern'> {
  const find = (keywords: readonly string[]) => {
    const keyword = keywords.find((each) => typeof schema[each] === 'number');
    return keyword === undefined ? undefined : limit(schema[keyword] as number);
  };
  const pattern = schema['pattern'] as string | undefined;
  return defined({ min: find(leastKeywords), max: find(mostKeywords), pattern });
}

/** Leaves out the bounds that every number has. */
function limit(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound;
}

/** What people write in capital letters. */
const initialisms: ReadonlySet<string> = new Set(['id', 'uuid', 'url', 'ip', 'oci', 'sha256']);

/** Returns what people call a field: `Retry max delay`, and of a reference what it points to, `Company`. */
export function labelOf(name: string, { references }: Pick<FieldDescription, 'references'> = {}): string {
  const bare = references === undefined ? name : name.replace(/_id$/, '');
  const words = bare.split('_').map((word) => (initialisms.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Leaves out the members that are undefined. */
export function defined<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
