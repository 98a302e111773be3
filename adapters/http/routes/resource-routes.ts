import {
  type AnyResource,
  type AnyRow,
  badRequest,
  type Core,
  embeddedIn,
  orderableFields,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  readListInput,
  type Saved,
  type Tables,
} from '@horarium/core';
import { getShape, listShape, removeShape, saveShape, updateShape } from '../openapi/record-shapes.ts';
import { shapeOf } from '../reply/record-shape.ts';
import { countUpTo, totalOf, wantsAll } from '../request/paging.ts';
import { entityTag, isUnchanged, readPreconditions } from '../request/preconditions.ts';
import { yesOrNo } from '../request/query.ts';
import { recordToSave, withoutId } from '../request/record-input.ts';

/** All rows of the API that follow from a resource's description. */
export function resourceRoutes(resource: AnyResource): Route[] {
  if (resource.nested) return [];
  const offered = {
    list: () => [listRoute(resource)],
    get: () => [getRoute(resource)],
    save: () => [saveRoute(resource), updateRoute(resource)],
    delete: () => [removeRoute(resource)],
  };
  return resource.operations.flatMap((operation) => offered[operation]());
}

/** A list that is not that of all records of its kind. */
export interface ListPlace {
  readonly path: string;
  readonly purpose: string;
  /** Its name and its chapter in the documentation. */
  readonly operation: string;
  readonly tag: string;
  /** What all of its records have in common. */
  readonly scope: (exchange: RouteContext) => Promise<Readonly<Record<string, number>>>;
}

/** The row that lists records. @param place where it is not the list of all that are of its kind. */
export function listRoute(resource: AnyResource, place?: ListPlace): Route {
  const { plural: many } = resource.names;
  return {
    method: 'GET',
    path: place?.path ?? `/${many}.{suffix}`,
    summary: place?.purpose ?? `List ${many}, newest first`,
    authentication: 'required',
    shape: listShape(resource, place),
    handle: async (exchange) => {
      const { core, actor, query } = exchange;
      const records = core.records(resource.name);
      const all = wantsAll(query);
      const given = readListInput(resource, all ? withoutLimit(query) : query, core.timezone);
      const scope = Object.entries((await place?.scope(exchange)) ?? {}).map(
        ([field, id]) => [field, '=', id] as const,
      );
      const list = { ...given, where: [...(given.where ?? []), ...scope] };
      const orders = orderableFields(resource).map((field) => field.name);
      const shape = shapeOf(resource, 'list');
      const total = async () => totalOf(await records.count(actor, list, countUpTo));
      if (all)
        return {
          shape,
          pages: shownPages(core, resource, records.pages(actor, list)),
          page: { total: await total(), next: null, orders },
        };
      const { rows, next } = await records.list(actor, list);
      return {
        shape,
        value: await core.serialize(resource, rows, 'list'),
        page: { total: await total(), next, orders },
      };
    },
  };
}

function withoutLimit(query: QueryParameters): QueryParameters {
  return new Map([...query].filter(([name]) => name !== 'limit'));
}

async function* shownPages(core: Core, resource: AnyResource, pages: AsyncIterable<readonly AnyRow[]>) {
  for await (const rows of pages) yield core.serialize(resource, rows, 'list');
}

/** The row that answers one record by its id. */
export function getRoute(resource: AnyResource): Route {
  const { singular: one, id } = resource.names;
  return {
    method: 'GET',
    path: `/${one}/{${id}}.{suffix}`,
    summary: `Get one ${one} by its id`,
    authentication: 'required',
    shape: getShape(resource),
    handle: async (exchange) => {
      const row = await exchange.core.records(resource.name).get(exchange.actor, exchange.id(id));
      return unlessUnchanged(exchange, resource, row, await embeddedVersions(exchange, resource, row));
    },
  };
}

/**
 * The record as it is now, or that it is still as the client knows it.
 * @param versions of the records that are shown inside it.
 */
export async function unlessUnchanged(
  { core, request }: RouteContext,
  resource: AnyResource,
  row: AnyRow,
  versions: readonly number[] = [],
): Promise<Reply> {
  const tag = tagOf(row, versions);
  if (tag !== null && isUnchanged(request, tag)) return { status: 304, headers: { ETag: tag } };
  const reply = await itemReply(core, resource, row);
  return tag === null ? reply : { ...reply, headers: { ETag: tag } };
}

/**
 * The versions of the records that are embedded in one: a change of them changes what is shown, though not the record.
 * To be read before the record is, so that a tag is never newer than what it stands for.
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
      versions.push(...rows.map((row) => row['revision'] as number));
  }
  return versions;
}

/** Versions and their number only ever grow, so their sums tell any two states apart. */
function tagOf(row: AnyRow, versions: readonly number[]): string | null {
  const tag = entityTag(row);
  if (tag === null || versions.length === 0) return tag;
  return `${tag.slice(0, -1)}.${versions.length}.${versions.reduce((sum, version) => sum + version, 0)}"`;
}

function saveRoute(resource: AnyResource): Route {
  const { singular: one, id } = resource.names;
  return {
    method: 'POST',
    path: `/${one}/`,
    summary: `Create or update one ${one}`,
    authentication: 'required',
    shape: saveShape(resource),
    handle: async (exchange) => {
      const input = recordToSave(resource, exchange.body);
      return save(resource, exchange, input, queryId(exchange, id) ?? (input['id'] as number | undefined));
    },
  };
}

function updateRoute(resource: AnyResource): Route {
  const { singular: one, id } = resource.names;
  return {
    method: 'POST',
    path: `/${one}/{${id}}.{suffix}`,
    summary: `Update one ${one}`,
    authentication: 'required',
    shape: updateShape(resource),
    handle: async (exchange) => save(resource, exchange, recordToSave(resource, exchange.body), exchange.id(id)),
  };
}

function removeRoute(resource: AnyResource): Route {
  const { singular: one, id } = resource.names;
  return {
    method: 'DELETE',
    path: `/${one}/{${id}}.{suffix}`,
    summary: `Delete one ${one}, with cascade=true also what refers to it`,
    authentication: 'required',
    shape: removeShape(resource),
    handle: async ({ core, actor, request, query, id: idOf }) => {
      const { version } = readPreconditions(request);
      const cascade = yesOrNo(query, 'cascade', false);
      await core.records(resource.name).remove(actor, idOf(id), { version, cascade });
      return {};
    },
  };
}

async function save(
  resource: AnyResource,
  exchange: RouteContext,
  given: Record<string, unknown>,
  id: number | undefined,
): Promise<Reply> {
  const input = withoutId(given, id);
  const { core, actor, request } = exchange;
  const { version, createOnly, mustExist } = readPreconditions(request);
  if (mustExist && id === undefined) throw badRequest('If-Match: * needs the id of the record.');
  return exchange.inTransaction<Saved<AnyRow>>(
    (hooks) => core.records(resource.name).save(actor, input, { id, version, createOnly }, hooks),
    (tables, saved) => savedReply(exchange, resource, tables, saved),
  );
}

/** The whole record as it is now; where it is new, with its address: its own path, or the one given. */
export async function savedReply(
  { core, urlOf }: RouteContext,
  resource: AnyResource,
  tables: Tables,
  { row, created }: Saved<AnyRow>,
  path = `/${resource.names.singular}/${row.id}.json`,
): Promise<Reply> {
  const subject = { resource: resource.name, row, created };
  const reply = { ...(await itemReply(core, resource, row, tables)), subject };
  return created ? { ...reply, status: 201, headers: { ...reply.headers, Location: urlOf(path) } } : reply;
}

async function itemReply(core: Core, resource: AnyResource, row: AnyRow, tables?: Tables): Promise<Reply> {
  const tag = entityTag(row);
  const [value] = await core.serialize(resource, [row], 'item', tables);
  return { value, shape: shapeOf(resource, 'item'), headers: tag === null ? {} : { ETag: tag } };
}

/** An id that may stand in the query. @throws HorariumError `bad_request` when it is none. */
export function queryId({ query }: RouteContext, name: string): number | undefined {
  const given = query.get(name);
  return given === undefined ? undefined : parseId(name, given);
}
