import {
  badRequest,
  formatInstant,
  parseId,
  type QueryParameters,
  type Reply,
  type ResponseShape,
  type Route,
  type RouteContext,
  readWholeNumber,
} from '@horarium/core';
import { describeRoutes } from './route.ts';
import { healthShape, indexShape, pingShape, readyShape, statusShape } from './system-shapes.ts';

/** The base path of this version of the API. */
export const basePath = '/api/v1';

/** The endpoints that follow from no resource. */
export const otherRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/ping.{suffix}',
    summary: 'Tell that the service answers; with job and key, the heartbeat of that job',
    authentication: 'none',
    shape: pingShape,
    confidential: (query) => query.has('key'),
    handle: ping,
  },
  {
    method: 'GET',
    path: '/status',
    summary: 'Tell how the service is doing',
    shape: statusShape,
    authentication: 'required',
    suffixOptional: true,
    handle: async ({ core, actor }) => item('status', await core.status(actor)),
  },
  {
    method: 'GET',
    path: '/index.{suffix}',
    summary: 'List all endpoints',
    shape: indexShape,
    authentication: 'required',
    handle: async ({ routes }) => ({
      value: describeRoutes(routes, basePath),
      shape: { kind: 'list', name: 'endpoint', many: 'endpoints', fields: null },
    }),
  },
  {
    method: 'GET',
    path: '/healthz',
    summary: 'Tell that the process lives',
    shape: healthShape,
    authentication: 'none',
    atRoot: true,
    handle: async () => item('health', { status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'Tell whether the database answers and the service goes on',
    shape: readyShape,
    authentication: 'none',
    atRoot: true,
    handle: async ({ core }) =>
      (await core.isReady())
        ? item('health', { status: 'ok' })
        : { ...item('health', { status: 'unavailable' }), status: 503 },
  },
];

async function ping({ core, query }: RouteContext): Promise<Reply> {
  const job = query.get('job');
  const key = query.get('key');
  if (job !== undefined && key !== undefined) {
    await core.heartbeats.note(parseId('job', job), key, {
      progress: readProgress(query),
      message: query.get('message'),
    });
  } else if (query.size > 0) {
    throw badRequest('A heartbeat needs both job and key.');
  }
  return item('ping', { pong: true, time: formatInstant(core.clock.now()) });
}

function readProgress(query: QueryParameters): number | undefined {
  const progress = readWholeNumber(query, 'progress');
  if (progress !== undefined && progress > 100) throw badRequest('progress must be a whole number from 0 to 100.');
  return progress;
}

/** @param embedded the shapes of lists in it whose elements are more than values. */
export function item(name: string, value: object, embedded: ResponseShape['embedded'] = {}): Reply {
  return { value, shape: { kind: 'item', name, fields: null, embedded } };
}
