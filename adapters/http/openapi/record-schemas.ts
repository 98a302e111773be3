import {
  type AnyResource,
  computedColumns,
  embeddedIn,
  type FieldRow,
  type JsonSchema,
  visibleColumns,
} from '@horarium/core';
import { objectOf, schemaNamed } from '../routes/route-shape.ts';
import { inputSchema, shownSchema } from './field-schema.ts';

/** The names of the schemas of a resource. A list may show less than a single item. */
export function schemaNames({ name }: AnyResource) {
  return { item: name, list: `${name}InList`, input: `${name}Input` };
}

/** What is said of one kind of record: alone, in lists, and as callers write it. */
export function recordSchemas(resource: AnyResource): Record<string, JsonSchema> {
  const names = schemaNames(resource);
  const lists = wholeLists(resource).map(([name, each]) => [name, listOf(each)]);
  return {
    [names.item]: {
      ...objectOf({ ...shownProperties(itemColumns(resource)), ...Object.fromEntries(lists) }),
      description: resource.description,
    },
    [names.list]: {
      ...objectOf(shownProperties(listColumns(resource))),
      description: `${resource.description} As lists show it.`,
    },
    [names.input]: input(resource),
  };
}

/** What a single record shows. */
export function itemColumns(resource: AnyResource): readonly FieldRow[] {
  return [...visibleColumns(resource), ...computedColumns(resource, 'item')];
}

/** What each record of a list shows. */
export function listColumns(resource: AnyResource): readonly FieldRow[] {
  const listed = visibleColumns(resource).filter((column) => !column.detailOnly);
  return [...listed, ...computedColumns(resource, 'list')];
}

/** Several records, as a list holds them. */
export function listOf(resource: AnyResource): JsonSchema {
  return { type: 'array', items: schemaNamed(schemaNames(resource).list) };
}

/** What a single item embeds whole, by the field that holds the list; other records in it are among its columns. */
export function wholeLists(resource: AnyResource): [field: string, of: AnyResource][] {
  const columns = new Set(itemColumns(resource).map((column) => column.name));
  const embedded = Object.entries(embeddedIn(resource, 'item')).filter(([name]) => !columns.has(name));
  return embedded.map(([name, each]) => [name, each.resource]);
}

/** Fields as the properties of an object that answers hold. */
export function shownProperties(columns: readonly FieldRow[]): Record<string, JsonSchema> {
  return Object.fromEntries(columns.map((column) => [column.name, shownSchema(column)]));
}

/** What the service sets itself may be sent back as it was read; it is not looked at. */
function input(resource: AnyResource): JsonSchema {
  const columns = resource.columns.filter((column) => !column.hidden && column.name !== 'id');
  const needed = columns.filter((column) => column.required && !column.readOnly).map((column) => column.name);
  const key = resource.key.length > 0 ? ` or a known ${resource.key.join(' and ')}` : '';
  const fields = columns.map((column) => [
    column.name,
    column.readOnly ? { ...shownSchema(column), readOnly: true } : inputSchema(column),
  ]);
  return {
    type: 'object',
    description: `With an id${key} it updates that record: a field left out stays as it is, null clears it. A new one needs ${needed.join(', ')}.`,
    properties: { id: recordId, ...Object.fromEntries(fields) },
    additionalProperties: false,
  };
}

const recordId = { type: 'integer', minimum: 1, description: 'The record to update.' };
