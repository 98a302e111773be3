import { changeSchema, type JsonSchema, type Sample } from '@horarium/core';

/** Refers to a schema that the document describes once, under a name. */
export function schemaNamed(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes an object with all of these members and no others. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Lists the members of an entry of a list, from its sample; formats show them as the columns of an empty list. */
export function columnsOf(sample: Sample | undefined): string[] {
  const { properties = {} } = (sample?.schema['items'] ?? {}) as { properties?: object };
  return Object.keys(properties);
}

export const textSchema: JsonSchema = { type: 'string' };
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };
export const countSchema: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const idSchema: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
/** The changes of one record: `[before, after]` by field. */
export const changesSchema: JsonSchema = { type: 'object', additionalProperties: changeSchema };

/** Returns a schema with a description. */
export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}
