import {
  type AnyResource,
  type AnyRow,
  badRequest,
  embeddedIn,
  nounsOf,
  orderableFields,
  type PluginCore,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  readListInput,
  recordShapes,
  type Tables,
} from '@horarium/core';
import { getShape, listShape, removeShape, saveShape, updateShape } from '../openapi/record-shapes.ts';
import { entityTag, isUnchanged, readPreconditions } from '../request/preconditions.ts';
import { readFlag } from '../request/query.ts';
import { recordToSave, withoutId } from '../request/record-input.ts';

/** Builds all routes that follow from a resource's description. */
export function resourceRoutes(resource: AnyResource): Route[] {
  if (resource.nested) return [];
  const routesByOperation = {
    list: () => [listRoute(resource)],
    get: () => [getRoute(resource)],
    save: () => [saveRoute(resource), updateRoute(resource)],
    delete: () => [removeRoute(resource)],
  };
  return resource.operations.flatMap((operation) => routesByOperation[operation]());
}

/** A list of some of the records of a resource, at a path of its own. */
export interface ScopedList {
  readonly path: string;
  readonly summary: string;
  /** Its OpenAPI operation and tag. */
  readonly operation: string;
  readonly tag: string;
  /** The values that some fields of all of its records have. */
  readonly scope: (context: RouteContext) => Promise<Readonly<Record<string, number>>>;
}

/** Builds the route of a list. @param scoped where the list is not that of all records. */
export function listRoute(resource: AnyResource, scoped?: ScopedList): Route {
  const { plural } = resource.names;
  return {
    method: 'GET',
    path: scoped?.path ?? `/${plural}.{suffix}`,
    summary: scoped?.summary ?? `List ${nounsOf(resource).many}, newest first`,
    authentication: 'required',
    shape: listShape(resource, scoped),
    handle: async (context) => {
      const { core, actor, query } = context;
      const records = core.records(resource.name);
      const wantsAll = query.get('limit') === 'all';
      const input = readListInput(resource, wantsAll ? withoutLimit(query) : query, core.timezone);
      const scope = Object.entries((await scoped?.scope(context)) ?? {}).map(
        ([field, id]) => [field, '=', id] as const,
      );
      const list = { ...input, where: [...(input.where ?? []), ...scope] };
      const orders = orderableFields(resource).map((field) => field.name);
      const shape = recordShapes.list(resource);
      const total = async () => totalOf(await records.count(actor, list, maxCounted + 1));
      if (wantsAll)
        return {
          shape,
          pages: shownPages(core, resource, records.pages(actor, list)),
          page: { total: await total(), next: null, orders },
        };
      const { rows, next } = await records.list(actor, list);
      return {
        shape,
        value: await core.forChannels.serialize(resource, rows, 'list'),
        page: { total: await total(), next, orders },
      };
    },
  };
}

/** The number up to which lists are counted exactly; one row more tells that there are more. */
const maxCounted = 10_000;

function totalOf(count: number): string {
  return count > maxCounted ? `${maxCounted}+` : String(count);
}

function withoutLimit(query: QueryParameters): QueryParameters {
  return new Map([...query].filter(([name]) => name !== 'limit'));
}

async function* shownPages(core: PluginCore, resource: AnyResource, pages: AsyncIterable<readonly AnyRow[]>) {
  for await (const rows of pages) yield core.forChannels.serialize(resource, rows, 'list');
}

function getRoute(resource: AnyResource): Route {
  const { singular, id } = resource.names;
  return {
    method: 'GET',
    path: `/${singular}/{${id}}.{suffix}`,
    summary: `Get ${nounsOf(resource).one} by its id`,
    authentication: 'required',
    shape: getShape(resource),
    handle: async (context) => {
      const row = await context.core.records(resource.name).get(context.actor, context.id(id));
      return conditionalReply(context, resource, row, await embeddedVersions(context, resource, row));
    },
  };
}

/**
 * Replies to a conditional request: with the record, or with 304 when the client has its current version already.
 * @param versions of the records that are embedded in it.
 */
export async function conditionalReply(
  { core, request }: RouteContext,
  resource: AnyResource,
  row: AnyRow,
  versions: readonly number[] = [],
): Promise<Reply> {
  const tag = tagOf(row, versions);
  if (tag !== null && isUnchanged(request, tag)) return { status: 304, headers: { ETag: tag } };
  const reply = await recordReply(core, resource, row);
  return tag === null ? reply : { ...reply, headers: { ETag: tag } };
}

/**
 * Reads the versions of the records that are embedded in one: a change of them changes the response, though not the
 * record. They are read before the record is serialized, so that a tag is never newer than the response.
 */
async function embeddedVersions(
  { core, actor }: RouteContext,
  resource: AnyResource,
  { id }: AnyRow,
): Promise<number[]> {
  const versions: number[] = [];
  for (const { resource: embedded, by } of Object.values(embeddedIn(resource, 'item'))) {
    if (by === undefined) continue;
    for await (const rows of core.records(embedded.name).pages(actor, { filters: { [by]: id } }))
      for (const { revision } of rows) if (typeof revision === 'number') versions.push(revision);
  }
  return versions;
}

/**
 * Builds the entity tag of a record and its embedded ones. Versions and their number only ever grow, so their sum and
 * number tell any two states apart.
 */
function tagOf(row: AnyRow, versions: readonly number[]): string | null {
  const tag = entityTag(row);
  if (tag === null || versions.length === 0) return tag;
  return `${tag.slice(0, -1)}.${versions.length}.${versions.reduce((sum, version) => sum + version, 0)}"`;
}

function saveRoute(resource: AnyResource): Route {
  const { singular, id } = resource.names;
  return {
    method: 'POST',
    path: `/${singular}/`,
    summary: `Create or update ${nounsOf(resource).one}`,
    authentication: 'required',
    shape: saveShape(resource),
    handle: async (context) => {
      const input = recordToSave(resource, context.body);
      return save(resource, context, input, queryId(context, id) ?? (input['id'] as number | undefined));
    },
  };
}

function updateRoute(resource: AnyResource): Route {
  const { singular, id } = resource.names;
  return {
    method: 'POST',
    path: `/${singular}/{${id}}.{suffix}`,
    summary: `Update ${nounsOf(resource).one}`,
    authentication: 'required',
    shape: updateShape(resource),
    handle: async (context) => save(resource, context, recordToSave(resource, context.body), context.id(id)),
  };
}

function removeRoute(resource: AnyResource): Route {
  const { singular, id } = resource.names;
  return {
    method: 'DELETE',
    path: `/${singular}/{${id}}.{suffix}`,
    summary: `Delete ${nounsOf(resource).one}; with cascade=true also what refers to it`,
    authentication: 'required',
    shape: removeShape(resource),
    handle: async (context) => {
      const { version } = readPreconditions(context.request);
      const cascade = readFlag(context.query, 'cascade', false);
      return context.inTransaction(async (tables) => {
        const records = context.core.records(resource.name);
        await records.deleteIn(tables, context.actor, context.id(id), { version, cascade });
        return {};
      });
    },
  };
}

async function save(
  resource: AnyResource,
  context: RouteContext,
  given: Record<string, unknown>,
  id: number | undefined,
): Promise<Reply> {
  const input = withoutId(given, id);
  const { core, actor, request } = context;
  const { version, createOnly, mustExist } = readPreconditions(request);
  if (mustExist && id === undefined) throw badRequest('If-Match: * needs the id of the record.');
  const records = core.records(resource.name);
  const hashes = await records.hashPasswords(actor, input, { id });
  return context.inTransaction(async (tables) => {
    const row = await records.saveIn(tables, actor, input, { id, version, createOnly, hashes });
    return savedReply(context, resource, tables, row, { created: row.created });
  });
}

/** Replies with the whole record as it was saved. @param path of a new record, under the base path. */
export async function savedReply(
  context: RouteContext,
  resource: AnyResource,
  tables: Tables,
  row: AnyRow,
  {
    created,
    path = `/${resource.names.singular}/${row.id}.json`,
  }: { readonly created: boolean; readonly path?: string },
): Promise<Reply> {
  const writtenRecord = { resource: resource.name, row, created };
  const reply: Reply = { ...(await recordReply(context.core, resource, row, tables)), writtenRecord };
  if (!created) return reply;
  return { ...reply, status: 201, headers: { ...reply.headers, Location: context.urlOf(path) } };
}

/** Replies with some records as a list, read in that transaction. */
export async function recordsReply(
  { core }: RouteContext,
  resource: AnyResource,
  tables: Tables,
  rows: readonly AnyRow[],
): Promise<Reply> {
  return {
    value: await core.forChannels.serialize(resource, rows, 'list', tables),
    shape: recordShapes.list(resource),
  };
}

async function recordReply(core: PluginCore, resource: AnyResource, row: AnyRow, tables?: Tables): Promise<Reply> {
  const tag = entityTag(row);
  const [value] = await core.forChannels.serialize(resource, [row], 'item', tables);
  return { value, shape: recordShapes.item(resource), headers: tag === null ? {} : { ETag: tag } };
}

/**
 * Reads an id from the query; undefined where there is none.
 * @throws HorariumError `bad_request` for anything but an id.
 */
export function queryId({ query }: RouteContext, name: string): number | undefined {
  const value = query.get(name);
  return value === undefined ? undefined : parseId(name, value);
}
