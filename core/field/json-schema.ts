import {
  object,
  type Schema,
  type SchemaDescription,
  type SchemaInnerTypeDescription,
  type SchemaObjectDescription,
} from 'yup';
import type { FieldMeta, Fields, JsonSchema } from './field-meta.ts';

/** Converts the schema of structured data to a JSON Schema that can be printed. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  return describeSchema(schema.describe());
}

/** Describes an object of these fields, such as the body of a request. */
export function schemaOf(fields: Fields): JsonSchema {
  return jsonSchemaOf(object({ ...fields }).noUnknown());
}

const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };

function describeSchema(description: SchemaDescription): JsonSchema {
  const { kind } = (description.meta ?? {}) as Partial<FieldMeta>;
  // An instant is a number, but written as a text.
  const schema = kind === 'instant' ? timeSchema : { ...ofType(description), ...limits(description) };
  return description.nullable ? nullable(schema) : schema;
}

/** Extends a schema by null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return '$ref' in schema || 'anyOf' in schema ? { anyOf: [schema, { type: 'null' }] } : schema;
  const types = Array.isArray(type) ? type : [type];
  return {
    ...schema,
    type: [...new Set([...types, 'null'])],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

function ofType(description: SchemaDescription): JsonSchema {
  const { jsonSchema, entries, schema } = (description.meta ?? {}) as Partial<FieldMeta>;
  if (jsonSchema) return jsonSchema;
  if (schema) return jsonSchemaOf(schema);
  if (entries) {
    const { value, key, max, maxKey } = entries;
    return {
      type: 'object',
      additionalProperties: jsonSchemaOf(value),
      propertyNames: { pattern: key.source, maxLength: maxKey },
      maxProperties: max,
    };
  }
  if (description.type === 'array') return { type: 'array', ...itemsOf(description as SchemaInnerTypeDescription) };
  if (description.type === 'object') return objectOf(description as SchemaObjectDescription);
  // A mixed value without a description of its own is anything.
  return description.type === 'mixed' ? {} : { type: description.type };
}

function itemsOf({ innerType }: SchemaInnerTypeDescription): JsonSchema {
  return innerType && !Array.isArray(innerType) ? { items: describeSchema(innerType as SchemaDescription) } : {};
}

function objectOf({ fields, tests }: SchemaObjectDescription): JsonSchema {
  const fieldEntries = Object.entries(fields) as [string, SchemaDescription][];
  const required = fieldEntries.filter(([, field]) => !field.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fieldEntries.map(([name, field]) => [name, describeSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: !tests.some(({ name }) => name === 'noUnknown'),
  };
}

/** The keyword of JSON Schema for a limit of yup's, by the type that it limits. */
const keywords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  string: { min: 'minLength', max: 'maxLength' },
  number: { min: 'minimum', max: 'maximum' },
  array: { min: 'minItems', max: 'maxItems' },
};

function limits({ type, tests, oneOf, meta }: SchemaDescription): JsonSchema {
  const { maxSize } = (meta ?? {}) as Partial<FieldMeta>;
  const keywordsOfTests = tests.flatMap(({ name = '', params }): [string, unknown][] => {
    const keyword = keywords[type]?.[name];
    if (keyword !== undefined) return [[keyword, params?.[name]]];
    if (name === 'integer') return [['type', 'integer']];
    const pattern = patternOf(params?.['regex']);
    return pattern === undefined ? [] : [['pattern', pattern]];
  });
  return {
    ...Object.fromEntries(keywordsOfTests),
    ...(oneOf.length > 0 && { enum: oneOf }),
    // JSON Schema limits no text of structured data.
    ...(maxSize !== undefined && { 'x-max-json-length': maxSize }),
  };
}

/** The source of a pattern; undefined for one that ignores case, because JSON Schema has no flags. */
export function patternOf(regex: unknown): string | undefined {
  return regex instanceof RegExp && !regex.flags.includes('i') ? regex.source : undefined;
}
