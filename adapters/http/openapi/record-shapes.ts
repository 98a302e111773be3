import { type AnyResource, exampleInput, exampleShown } from '@horarium/core';
import type { ListFilters } from '../paging.ts';
import {
  type BodyShape,
  type ReplyHeader,
  type ReplyShape,
  type RouteShape,
  type Sample,
  schemaNamed,
} from '../route-shape.ts';
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
export function listShape(
  resource: AnyResource,
  filters: ListFilters,
  place?: Pick<RouteShape, 'operation' | 'chapter'>,
): RouteShape {
  const { many } = resource.words;
  return {
    operation: place?.operation ?? `list${capital(many)}`,
    chapter: place?.chapter ?? many,
    right: { resource: resource.name, verbs: ['read'] },
    parameters: listParameterShapes(resource, filters),
    gives: {
      200: { note: 'One page of the list.', body: recordsSample(resource), headers: ['X-Total-Count', 'Link'] },
    },
  };
}

/** One record, by its id. */
export function getShape(resource: AnyResource): RouteShape {
  const headers = tagged(resource);
  return {
    operation: `get${resource.name}`,
    chapter: resource.words.many,
    right: { resource: resource.name, verbs: ['read'] },
    gives: {
      200: { note: 'The record.', body: recordSample(resource), headers },
      ...(headers.length > 0 ? { 304: { note: 'It is still as If-None-Match says.', headers } } : {}),
    },
    ...(headers.length > 0 ? { preconditions: ['If-None-Match'] } : {}),
  };
}

/** A record made or changed, whichever the body says. */
export function saveShape(resource: AnyResource): RouteShape {
  const { one, many, id } = resource.words;
  return {
    operation: `save${resource.name}`,
    chapter: many,
    right: { resource: resource.name, verbs: ['create', 'update'] },
    parameters: { [id]: { note: `The ${one} to update.`, schema: { type: 'integer', minimum: 1 } } },
    takes: recordBody(resource),
    gives: savedReplies(resource),
    preconditions: ['If-Match', 'If-None-Match'],
  };
}

/** A record changed that the path names. */
export function updateShape(resource: AnyResource): RouteShape {
  return {
    operation: `update${resource.name}`,
    chapter: resource.words.many,
    right: { resource: resource.name, verbs: ['update'] },
    takes: recordBody(resource),
    gives: { 200: changed(resource) },
    preconditions: ['If-Match'],
  };
}

/** A record deleted. */
export function removeShape(resource: AnyResource): RouteShape {
  return {
    operation: `delete${resource.name}`,
    chapter: resource.words.many,
    right: { resource: resource.name, verbs: ['remove'] },
    parameters: { cascade: { note: 'Delete also what refers to it.', schema: { type: 'boolean', default: false } } },
    gives: { 204: { note: 'It is deleted.' } },
    preconditions: ['If-Match'],
  };
}

/** What comes back when a record was written. */
export function savedReplies(resource: AnyResource): Readonly<Record<number, ReplyShape>> {
  const made = { ...changed(resource), note: 'It is made; the whole record.' };
  return { 200: changed(resource), 201: { ...made, headers: [...tagged(resource), 'Location'] } };
}

function changed(resource: AnyResource): ReplyShape {
  return { note: 'It is changed; the whole record.', body: recordSample(resource), headers: tagged(resource) };
}

/** Entries that are written once have no version. */
function tagged({ columns }: AnyResource): readonly ReplyHeader[] {
  return columns.some(({ name }) => name === 'revision') ? ['ETag'] : [];
}

function capital(words: string): string {
  return words.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
