import {
  type AnyResource,
  computedColumns,
  embeddedIn,
  type FieldDescription,
  type JsonSchema,
  maxParsedText,
  maxReferenceName,
  nullable,
  visibleColumns,
} from '@horarium/core';
import { idSchema, objectOf, schemaNamed } from './json-schemas.ts';

/**
 * Names the schemas of a resource: one for a single item, one for an entry of a list, which may show less, and one for
 * input.
 */
export function schemaNames({ name }: AnyResource) {
  return { item: name, list: `${name}InList`, input: `${name}Input` };
}

/** Describes the schemas of a resource: a single item, an entry of a list, and an input. */
export function recordSchemas(resource: AnyResource): Record<string, JsonSchema> {
  const names = schemaNames(resource);
  return {
    [names.item]: {
      ...objectOf(itemProperties(resource)),
      description: resource.description,
    },
    [names.list]: {
      ...objectOf(outputProperties(listColumns(resource))),
      description: `${resource.description} As lists show it.`,
    },
    [names.input]: inputOf(resource),
  };
}

/** Describes a single item as the properties of an object, with the lists of records that it embeds. */
export function itemProperties(resource: AnyResource): Record<string, JsonSchema> {
  const lists = embeddedLists(resource).map(([name, each]) => [name, listOf(each)]);
  return { ...outputProperties(itemColumns(resource)), ...Object.fromEntries(lists) };
}

/** Returns the columns of a single item. */
export function itemColumns(resource: AnyResource): readonly FieldDescription[] {
  return [...visibleColumns(resource), ...computedColumns(resource, 'item')];
}

/** Returns the columns of each entry of a list. */
export function listColumns(resource: AnyResource): readonly FieldDescription[] {
  const listed = visibleColumns(resource).filter((column) => !column.detailOnly);
  return [...listed, ...computedColumns(resource, 'list')];
}

/** Describes a list of records. */
export function listOf(resource: AnyResource): JsonSchema {
  return { type: 'array', items: schemaNamed(schemaNames(resource).list) };
}

/** Returns the lists of records that a single item embeds, by field; other embedded records are among its columns. */
export function embeddedLists(resource: AnyResource): [field: string, of: AnyResource][] {
  const columns = new Set(itemColumns(resource).map((column) => column.name));
  const embedded = Object.entries(embeddedIn(resource, 'item')).filter(([name]) => !columns.has(name));
  return embedded.map(([name, each]) => [name, each.resource]);
}

/** Describes fields as the properties of an object in responses. */
export function outputProperties(columns: readonly FieldDescription[]): Record<string, JsonSchema> {
  return Object.fromEntries(columns.map((column) => [column.name, outputSchema(column)]));
}

/**
 * Describes the input of a save. Read-only fields are part of it, because a record may be sent back as it was read;
 * they are ignored.
 */
function inputOf(resource: AnyResource): JsonSchema {
  const columns = resource.columns.filter((column) => !column.hidden && column.name !== 'id');
  const needed = columns.filter((column) => column.required && !column.readOnly).map((column) => column.name);
  const key = resource.key.length > 0 ? ` or a known ${resource.key.join(' and ')}` : '';
  const fields = columns.map((column) => [
    column.name,
    column.readOnly ? { ...outputSchema(column), readOnly: true } : inputSchema(column),
  ]);
  return {
    type: 'object',
    description: `With an id${key} it updates that record: a field left out stays as it is, null clears it. A new one needs ${needed.join(', ')}.`,
    properties: { id: recordId, ...Object.fromEntries(fields), ...nameFields(columns) },
    additionalProperties: false,
  };
}

const nameSchema: JsonSchema = { type: 'string', maxLength: maxReferenceName };

/** Describes the fields that name a referenced record in place of its id. */
function nameFields(columns: readonly FieldDescription[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    columns.flatMap(({ name, references, namedBy }) =>
      namedBy
        ? [[namedBy, { ...nameSchema, description: `The ${namedBy} of a ${references}, in place of ${name}.` }]]
        : [],
    ),
  );
}

const recordId = { ...idSchema, description: 'The record to update.' };

/** Describes a field in responses, without its limits, because stored values may be older than they are. */
function outputSchema(column: FieldDescription): JsonSchema {
  if (column.secret) return withDescription({ type: ['string', 'null'] }, column);
  // The audit log names resources of plugins that are not loaded any more.
  const kind = column.format === 'resource' ? { type: 'string' } : ofKind(column);
  const schema = withoutLimits(kind) as JsonSchema;
  return withDescription(column.nullable ? nullable(schema) : schema, column);
}

/** Describes a field in requests; null clears it, or brings back its default. */
export function inputSchema(column: FieldDescription): JsonSchema {
  const value = column.acceptsText ? orText(ofKind(column)) : ofKind(column);
  const schema = column.required ? value : nullable(value);
  const withDefault =
    column.default === null || column.secret || column.defaultVaries ? {} : { default: column.default };
  return { ...withDescription(schema, column), ...withDefault, ...(column.secret ? { writeOnly: true } : {}) };
}

function ofKind(column: FieldDescription): JsonSchema {
  const { kind, min, max, pattern, values, jsonSchema } = column;
  switch (kind) {
    case 'text':
      return withoutUndefined({ type: 'string', minLength: min, maxLength: max, pattern });
    case 'choice':
      return { type: 'string', enum: values };
    case 'integer':
    case 'number':
    case 'reference':
      return withoutUndefined({ type: kind === 'number' ? 'number' : 'integer', minimum: min, maximum: max });
    case 'flag':
      return { type: 'boolean' };
    case 'instant':
      return { type: 'string', format: 'date-time' };
    default:
      return jsonSchema ?? {};
  }
}

function orText(schema: JsonSchema): JsonSchema {
  // What stands for a choice is short: its letter, or its name in another case.
  if ('enum' in schema) return { anyOf: [schema, { type: 'string', maxLength: 255 }] };
  return { maxLength: maxParsedText, ...schema, type: [schema['type'], 'string'] };
}

function withoutUndefined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function withDescription(schema: JsonSchema, { description, references, kind, secret }: FieldDescription): JsonSchema {
  const target = references ? `${kind === 'references' ? 'Ids' : 'Id'} of a ${references}.` : undefined;
  const sentences = [target, description, secret === 'encrypted' ? 'Shown as ••••••••.' : undefined]
    .filter(Boolean)
    .join(' ');
  return sentences === '' ? schema : { ...schema, description: sentences };
}

const limits = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'propertyNames',
  'x-max-json-length',
]);

/**
 * Removes the limits of a schema and of the schemas inside it. A member of `properties` stays even if it is called like a
 * limit, because it is a field.
 */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([keyword]) => !limits.has(keyword));
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      if (keyword !== 'properties') return [keyword, keyword === 'enum' ? value : withoutLimits(value)];
      const fields = Object.entries(value as object).map(([name, field]) => [name, withoutLimits(field)]);
      return [keyword, Object.fromEntries(fields)];
    }),
  );
}
