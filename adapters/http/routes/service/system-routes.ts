import {
  agentStatusColumns,
  badRequest,
  describeClockChange,
  formatInstant,
  parseId,
  type QueryParameters,
  type Reply,
  type ReplyShape,
  type Route,
  type RouteContext,
  type RouteShape,
  readWholeNumber,
  unservedPoolColumns,
  visibleColumns,
  WorkerLease,
} from '@horarium/core';
import { basePath } from '../../base-path.ts';
import { countSchema, idSchema, objectOf, textSchema, timeSchema } from '../../openapi/json-schemas.ts';
import { outputProperties } from '../../openapi/record-schemas.ts';
import { itemReply } from '../../reply/item-reply.ts';

const tag = 'service';
const worker = objectOf({
  ...outputProperties(visibleColumns(WorkerLease)),
  used_slots: { ...countSchema, description: 'How many jobs it runs.' },
});
const agent = objectOf(outputProperties(agentStatusColumns));
const unservedPool = objectOf(outputProperties(unservedPoolColumns));

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
            agents: {
              type: 'array',
              items: agent,
              description: 'The agents that are alive; shown to admins where agents run jobs.',
            },
            unserved_pools: {
              type: 'array',
              items: unservedPool,
              description: 'The pools with due jobs that no agent runs; shown to admins where agents run jobs.',
            },
            scheduler: objectOf({
              lag_seconds: { type: 'number' },
              clock: {
                enum: ['steady', 'held', 'set_back'],
                description:
                  'held: the clock of the store jumped ahead, and the service ignores the jump. set_back: the clock shows a time that has passed before.',
              },
              clock_held_seconds: { type: 'number', description: 'How far the clock is ahead.' },
              clock_changed_at: { ...timeSchema, type: ['string', 'null'], description: 'When it last changed.' },
            }),
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
          scheduler: { lag_seconds: 0, clock: 'steady', clock_held_seconds: 0, clock_changed_at: null },
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

const readiness = (status: string, description: string, reason: string | null): ReplyShape => ({
  description,
  body: {
    schema: objectOf({
      status: { const: status },
      reason: { type: ['string', 'null'], description: 'A sentence that names what is wrong.' },
    }),
    example: { status, reason },
  },
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
    200: readiness('ok', 'The service is ready. A reason says when the clock of the store was set back.', null),
    503: readiness(
      'unavailable',
      'It is not ready: the database does not answer, its clock jumped ahead, background work fails (as with a full ' +
        'disk), or the service is stopping.',
      'The database does not answer.',
    ),
  },
};

const confirmShape: RouteShape = {
  operation: 'confirmClock',
  tag,
  right: 'admin',
  errors: [409],
  responses: {
    200: {
      description: 'The clock is confirmed.',
      body: {
        schema: objectOf({ confirmed_seconds: { type: 'number' }, time: timeSchema, message: textSchema }),
        example: {
          confirmed_seconds: 86_400,
          time: '2026-11-22T05:00:00.000Z',
          message:
            'admin confirmed at 2026-11-22T05:00:00.000Z that the clock of the store, which was 86400 s ahead, is right.',
        },
      },
    },
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
    summary:
      'Check that the database answers, its clock is right, background work succeeds and the service is not stopping',
    shape: readyShape,
    authentication: 'none',
    atRoot: true,
    handle: async ({ core }) => {
      const { ready, reason } = await core.readiness();
      const reply = itemReply('health', { status: ready ? 'ok' : 'unavailable', reason });
      return ready ? reply : { ...reply, status: 503 };
    },
  },
  {
    method: 'POST',
    path: '/clock/confirm.{suffix}',
    summary: 'Confirm that the clock of the store is right although it jumped ahead',
    shape: confirmShape,
    authentication: 'required',
    handle: (context) =>
      context.inTransaction(async (tables) => {
        const change = await context.core.clockConfirmation.confirmIn(tables, context.actor);
        const { by, at } = change;
        const message = describeClockChange(change);
        return itemReply('clock', { confirmed_seconds: by / 1000, time: formatInstant(at), message });
      }),
  },
];

/** Describes each route in one row, for people; hidden ones are left out. */
export function describeRoutes(routes: readonly Route[]) {
  const described = routes.filter(({ hidden }) => !hidden);
  return described.map(({ method, path, summary, authentication, atRoot }) => ({
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
