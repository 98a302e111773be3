import {
  badRequest,
  formatInstant,
  parseId,
  type QueryParameters,
  type Reply,
  type ReplyShape,
  type Route,
  type RouteContext,
  type RouteShape,
  readWholeNumber,
  visibleColumns,
  WorkerLease,
} from '@horarium/core';
import { basePath } from '../base-path.ts';
import { countSchema, idSchema, objectOf, textSchema, timeSchema } from '../openapi/json-schemas.ts';
import { outputProperties } from '../openapi/record-schemas.ts';
import { itemReply } from '../reply/item-reply.ts';

const tag = 'service';
const worker = objectOf(outputProperties(visibleColumns(WorkerLease)));

const pingShape: RouteShape = {
  operation: 'ping',
  tag,
  parameters: {
    job: { description: 'The job that sends its heartbeat.', schema: idSchema },
    key: { description: 'The key from its HORARIUM_PING_URL.', schema: textSchema },
    progress: { description: 'Its progress, in percent.', schema: { type: 'integer', minimum: 0, maximum: 100 } },
    message: { description: 'Its status message. Secrets that the job was given are masked.', schema: textSchema },
  },
  errors: [422],
  responses: {
    200: {
      description: 'The service answers; a heartbeat is recorded.',
      body: {
        schema: objectOf({ pong: { const: true }, time: timeSchema }),
        example: { pong: true, time: '2026-11-21T05:00:00.000Z' },
      },
    },
  },
};

const statusShape: RouteShape = {
  operation: 'getStatus',
  tag,
  responses: {
    200: {
      description: 'The status of the service.',
      body: {
        schema: {
          ...objectOf({
            version: textSchema,
            uptime: { ...countSchema, description: 'Seconds.' },
            time: timeSchema,
            database: { ...textSchema, description: 'The kind of database, such as sqlite.' },
            workers: { type: 'array', items: worker, description: 'The processes that run jobs; shown to admins.' },
            scheduler: objectOf({ lag_seconds: { type: 'number' } }),
            queue: objectOf({ due: countSchema, running: countSchema }),
            counts: { type: 'object', additionalProperties: countSchema },
            audit_head: {
              ...objectOf({ seq: countSchema, hash: textSchema }),
              description: 'The end of the audit chain; shown to admins.',
            },
          }),
          required: ['version', 'uptime', 'time', 'database', 'scheduler', 'queue', 'counts'],
        },
        example: {
          version: '0.1.0',
          uptime: 86_400,
          time: '2026-11-21T05:00:00.000Z',
          database: 'postgresql',
          workers: [],
          scheduler: { lag_seconds: 0 },
          queue: { due: 0, running: 3 },
          counts: { companies: 2, apps: 7, runtemplates: 23 },
        },
      },
    },
  },
};

const indexShape: RouteShape = {
  operation: 'listEndpoints',
  tag,
  responses: {
    200: {
      description: 'Every endpoint.',
      body: {
        schema: {
          type: 'array',
          items: objectOf({
            method: { enum: ['GET', 'POST', 'DELETE'] },
            path: textSchema,
            purpose: textSchema,
            authentication: { enum: ['required', 'none'] },
          }),
        },
        example: [
          {
            method: 'GET',
            path: '/api/v1/apps.{suffix}',
            purpose: 'List apps, newest first',
            authentication: 'required',
          },
        ],
      },
    },
  },
};

const health = (status: string, description: string): ReplyShape => ({
  description,
  body: { schema: objectOf({ status: { const: status } }), example: { status } },
});

const healthShape: RouteShape = {
  operation: 'getHealth',
  tag,
  responses: { 200: health('ok', 'The process is alive.') },
};

const readyShape: RouteShape = {
  operation: 'getReadiness',
  tag,
  responses: {
    200: health('ok', 'The service is ready.'),
    503: health('unavailable', 'It is not ready: the database does not answer, or the service is stopping.'),
  },
};

/** Routes that follow from no resource. */
export const systemRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/ping.{suffix}',
    summary: 'Check that the service answers; with job and key, send the heartbeat of that job',
    authentication: 'none',
    shape: pingShape,
    confidential: (query) => query.has('key'),
    handle: ping,
  },
  {
    method: 'GET',
    path: '/status',
    summary: 'Get the status of the service',
    shape: statusShape,
    authentication: 'required',
    suffixOptional: true,
    handle: async ({ core, actor }) => itemReply('status', await core.status(actor)),
  },
  {
    method: 'GET',
    path: '/index.{suffix}',
    summary: 'List all endpoints',
    shape: indexShape,
    authentication: 'required',
    handle: async ({ api }) => ({
      value: describeRoutes(api.routes),
      shape: { kind: 'list', name: 'endpoint', plural: 'endpoints', fields: null },
    }),
  },
  {
    method: 'GET',
    path: '/healthz',
    summary: 'Check that the process is alive',
    shape: healthShape,
    authentication: 'none',
    atRoot: true,
    handle: async () => itemReply('health', { status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'Check that the database answers and the service is not stopping',
    shape: readyShape,
    authentication: 'none',
    atRoot: true,
    handle: async ({ core }) =>
      (await core.isReady())
        ? itemReply('health', { status: 'ok' })
        : { ...itemReply('health', { status: 'unavailable' }), status: 503 },
  },
];

/** Describes each route in one row, for people. */
export function describeRoutes(routes: readonly Route[]) {
  return routes.map(({ method, path, summary, authentication, atRoot }) => ({
    method,
    path: atRoot ? path : `${basePath}${path}`,
    purpose: summary,
    authentication,
  }));
}

async function ping({ core, query }: RouteContext): Promise<Reply> {
  const job = query.get('job');
  const key = query.get('key');
  if (job !== undefined && key !== undefined) {
    await core.heartbeats.record(parseId('job', job), key, {
      progress: readProgress(query),
      message: query.get('message'),
    });
  } else if (query.size > 0) {
    throw badRequest('A heartbeat needs both job and key.');
  }
  return itemReply('ping', { pong: true, time: formatInstant(core.clock.now()) });
}

function readProgress(query: QueryParameters): number | undefined {
  const progress = readWholeNumber(query, 'progress');
  if (progress !== undefined && progress > 100) throw badRequest('progress must be a whole number from 0 to 100.');
  return progress;
}
