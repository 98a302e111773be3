import {
  type AnyResource,
  type BodyShape,
  exampleInput,
  exampleShown,
  type ReplyHeader,
  type ReplyShape,
  type RouteShape,
  type Sample,
} from '@horarium/core';
import { schemaNamed } from '../routes/route-shape.ts';
import { listParameterShapes } from './list-parameters.ts';
import { itemColumns, listColumns, listOf, schemaNames, wholeLists } from './record-schemas.ts';

/** One record, as an answer holds it. */
export function recordSample(resource: AnyResource): Sample {
  const lists = wholeLists(resource).map(([name, each]) => [name, recordsSample(each).example]);
  const example = { ...exampleShown(resource, itemColumns(resource)), ...Object.fromEntries(lists) };
  return { schema: schemaNamed(schemaNames(resource).item), example };
}

/** Several records, as a list holds them. */
function recordsSample(resource: AnyResource): Sample {
  return {
    schema: listOf(resource),
    example: [exampleShown(resource, listColumns(resource))],
  };
}

/** A record as callers write it. */
export function recordBody(resource: AnyResource): BodyShape {
  return { schema: schemaNamed(schemaNames(resource).input), example: exampleInput(resource) };
}

/** A list of records. @param place its name and chapter, where it is not that of all records of its kind. */
export function listShape(resource: AnyResource, place?: Pick<RouteShape, 'operation' | 'tag'>): RouteShape {
  const { plural: many } = resource.names;
  return {
    operation: place?.operation ?? `list${capital(many)}`,
    tag: place?.tag ?? many,
    right: { resource: resource.name, verbs: ['read'] },
    parameters: listParameterShapes(resource),
    responses: {
      200: { description: 'One page of the list.', body: recordsSample(resource), headers: ['X-Total-Count', 'Link'] },
    },
  };
}

/** One record, by its id. */
export function getShape(resource: AnyResource): RouteShape {
  const headers = tagged(resource);
  return {
    operation: `get${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['read'] },
    responses: {
      200: { description: 'The record.', body: recordSample(resource), headers },
      ...(headers.length > 0 ? { 304: { description: 'It is still as If-None-Match says.', headers } } : {}),
    },
    ...(headers.length > 0 ? { preconditions: ['If-None-Match'] } : {}),
  };
}

/** A record made or changed, whichever the body says. */
export function saveShape(resource: AnyResource): RouteShape {
  const { singular: one, plural: many, id } = resource.names;
  return {
    operation: `save${resource.name}`,
    tag: many,
    right: { resource: resource.name, verbs: ['create', 'update'] },
    parameters: { [id]: { description: `The ${one} to update.`, schema: { type: 'integer', minimum: 1 } } },
    requestBody: recordBody(resource),
    responses: savedReplies(resource),
    preconditions: ['If-Match', 'If-None-Match'],
  };
}

/** A record changed that the path names. */
export function updateShape(resource: AnyResource): RouteShape {
  return {
    operation: `update${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['update'] },
    requestBody: recordBody(resource),
    responses: { 200: changed(resource) },
    preconditions: ['If-Match'],
  };
}

/** A record deleted. */
export function removeShape(resource: AnyResource): RouteShape {
  return {
    operation: `delete${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['delete'] },
    parameters: {
      cascade: { description: 'Delete also what refers to it.', schema: { type: 'boolean', default: false } },
    },
    responses: { 204: { description: 'It is deleted.' } },
    preconditions: ['If-Match'],
  };
}

/** What comes back when a record was written. */
export function savedReplies(resource: AnyResource): Readonly<Record<number, ReplyShape>> {
  const made = { ...changed(resource), description: 'It is made; the whole record.' };
  return { 200: changed(resource), 201: { ...made, headers: [...tagged(resource), 'Location'] } };
}

function changed(resource: AnyResource): ReplyShape {
  return { description: 'It is changed; the whole record.', body: recordSample(resource), headers: tagged(resource) };
}

/** Entries that are written once have no version. */
function tagged({ columns }: AnyResource): readonly ReplyHeader[] {
  return columns.some(({ name }) => name === 'revision') ? ['ETag'] : [];
}

function capital(words: string): string {
  return words.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
