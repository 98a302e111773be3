import {
  type AnyResource,
  type BodyShape,
  exampleInput,
  exampleOutput,
  listParameters,
  maxFilterValues,
  maxOffset,
  maxPageSize,
  noReference,
  orderableFields,
  type ParameterShape,
  type ReplyHeader,
  type ReplyShape,
  type RouteShape,
  type Sample,
  takesNone,
  takesSeveral,
} from '@horarium/core';
import { idSchema, schemaNamed, textSchema } from './json-schemas.ts';
import { embeddedLists, inputSchema, itemColumns, listColumns, listOf, schemaNames } from './record-schemas.ts';

/** Describes one record in a response. */
export function recordSample(resource: AnyResource): Sample {
  const lists = embeddedLists(resource).map(([name, each]) => [name, recordsSample(each).example]);
  const example = { ...exampleOutput(resource, itemColumns(resource)), ...Object.fromEntries(lists) };
  return { schema: schemaNamed(schemaNames(resource).item), example };
}

/** Describes a list of records in a response. */
export function recordsSample(resource: AnyResource): Sample {
  return {
    schema: listOf(resource),
    example: [exampleOutput(resource, listColumns(resource))],
  };
}

/** Describes a record in a request. */
export function recordBody(resource: AnyResource): BodyShape {
  return { schema: schemaNamed(schemaNames(resource).input), example: exampleInput(resource) };
}

/** Describes a list. @param scoped its operation and tag, where it is not the list of all records. */
export function listShape(resource: AnyResource, scoped?: Pick<RouteShape, 'operation' | 'tag'>): RouteShape {
  const { plural } = resource.names;
  return {
    operation: scoped?.operation ?? `list${capitalize(plural)}`,
    tag: scoped?.tag ?? plural,
    right: { resource: resource.name, verbs: ['read'] },
    parameters: listParameterShapes(resource),
    responses: {
      200: { description: 'One page of the list.', body: recordsSample(resource), headers: ['X-Total-Count', 'Link'] },
    },
  };
}

/** Describes the read of one record by its id. */
export function getShape(resource: AnyResource): RouteShape {
  const headers = versionHeaders(resource);
  return {
    operation: `get${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['read'] },
    responses: {
      200: { description: 'The record.', body: recordSample(resource), headers },
      ...(headers.length > 0
        ? { 304: { description: 'The record is unchanged: If-None-Match has its tag.', headers } }
        : {}),
    },
    ...(headers.length > 0 ? { preconditions: ['If-None-Match'] } : {}),
  };
}

/** Describes a save, which creates or updates a record as the body decides. */
export function saveShape(resource: AnyResource): RouteShape {
  const { singular, plural, id } = resource.names;
  return {
    operation: `save${resource.name}`,
    tag: plural,
    right: { resource: resource.name, verbs: ['create', 'update'] },
    parameters: { [id]: { description: `The ${singular} to update.`, schema: idSchema } },
    requestBody: recordBody(resource),
    responses: savedReplies(resource),
    preconditions: ['If-Match', 'If-None-Match'],
    dryRun: true,
  };
}

/** Describes the update of the record that the path names. */
export function updateShape(resource: AnyResource): RouteShape {
  return {
    operation: `update${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['update'] },
    requestBody: recordBody(resource),
    responses: { 200: updatedReply(resource) },
    preconditions: ['If-Match'],
    dryRun: true,
  };
}

/** Describes the deletion of a record. */
export function removeShape(resource: AnyResource): RouteShape {
  return {
    operation: `delete${resource.name}`,
    tag: resource.names.plural,
    right: { resource: resource.name, verbs: ['delete'] },
    parameters: {
      cascade: {
        description: 'Delete also the records that refer to it.',
        schema: { type: 'boolean', default: false },
      },
    },
    responses: { 204: { description: 'The record is deleted.' } },
    preconditions: ['If-Match'],
    dryRun: true,
  };
}

/** Describes the responses to a save. */
export function savedReplies(resource: AnyResource): Readonly<Record<number, ReplyShape>> {
  const createdReply = { ...updatedReply(resource), description: 'The record was created; the whole record.' };
  return { 200: updatedReply(resource), 201: { ...createdReply, headers: [...versionHeaders(resource), 'Location'] } };
}

function updatedReply(resource: AnyResource): ReplyShape {
  return {
    description: 'The record was updated; the whole record.',
    body: recordSample(resource),
    headers: versionHeaders(resource),
  };
}

/** Returns the version header of a record; entries of a journal have no version. */
function versionHeaders({ columns }: AnyResource): readonly ReplyHeader[] {
  return columns.some(({ name }) => name === 'revision') ? ['ETag'] : [];
}

function capitalize(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** Describes one end of a range of time: `from` or `to`. */
export function timeBoundShape(description: string): ParameterShape {
  return {
    description: `${description}; a time, or a date for the whole day in the service's time zone.`,
    schema: { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] },
    example: '2026-11-21',
  };
}

/** Describes the parameter with the zone of the reader. @param what that is of, as the end of a sentence. */
export function timezoneShape(what: string): ParameterShape {
  return {
    description: `The zone of ${what}, such as Europe/Prague; that of the service if it is left out.`,
    schema: textSchema,
    example: 'Europe/Prague',
  };
}

/** Describes every parameter of a list: paging, order, period, and equality on each indexed field. */
function listParameterShapes(resource: AnyResource): Readonly<Record<string, ParameterShape>> {
  const shapes = listParameters(resource).map((name) => [
    name,
    paging(resource, name) ?? period(resource, name) ?? filter(resource, name),
  ]);
  return Object.fromEntries(shapes);
}

function paging(resource: AnyResource, name: string): ParameterShape | undefined {
  const orders = orderableFields(resource).flatMap((field) => [field.name, `-${field.name}`]);
  const shapes: Readonly<Record<string, ParameterShape>> = {
    limit: {
      description:
        'The maximum number of records to return. A page of large records has fewer. all = the whole list, in formats that write a list piece by piece, such as json and csv.',
      schema: { anyOf: [{ type: 'integer', minimum: 1, maximum: maxPageSize }, { const: 'all' }], default: 100 },
    },
    offset: {
      description: 'The number of records to skip; `after` reaches further ones.',
      schema: { type: 'integer', minimum: 0, maximum: maxOffset, default: 0 },
    },
    after: {
      description: 'The cursor of the page before; it is part of the link to the next page.',
      schema: { type: 'string' },
    },
    order: {
      description: 'A field; a minus before it reverses the order.',
      schema: { type: 'string', enum: orders, default: '-id' },
    },
  };
  return Object.hasOwn(shapes, name) ? shapes[name] : undefined;
}

function period({ period: field }: AnyResource, name: string): ParameterShape | undefined {
  if (field === undefined) return undefined;
  if (name === 'from') return timeBoundShape(`Only records whose ${field} is then or later`);
  return name === 'to' ? timeBoundShape(`Only records whose ${field} is then or earlier`) : undefined;
}

function filter(resource: AnyResource, name: string): ParameterShape {
  const column = resource.columns.find((each) => each.name === name);
  if (!column) throw new Error(`Lists of ${resource.name} can be filtered by ${name}, which is not a field of it.`);
  const { description: _description, default: _default, ...schema } = inputSchema({ ...column, required: true });
  if (takesSeveral(column)) {
    const list = { type: 'array', items: schema, maxItems: column.values?.length ?? maxFilterValues };
    const description = `Only records with this ${name}, or with one of several, separated by commas`;
    if (!takesNone(column)) return { description: `${description}.`, schema: list };
    return {
      description: `${description}; ${noReference} = only records without one.`,
      schema: { anyOf: [list, { const: noReference }] },
    };
  }
  return { description: `Only records with this ${name}.`, schema };
}
