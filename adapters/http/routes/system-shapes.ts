import { type JsonSchema, type ReplyShape, type RouteShape, visibleColumns, WorkerLease } from '@horarium/core';
import { shownProperties } from '../openapi/record-schemas.ts';
import { objectOf } from './route-shape.ts';

const tag = 'service';
const text: JsonSchema = { type: 'string' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const worker = objectOf(shownProperties(visibleColumns(WorkerLease)));

export const pingShape: RouteShape = {
  operation: 'ping',
  tag,
  parameters: {
    job: { description: 'The job that is alive.', schema: { type: 'integer', minimum: 1 } },
    key: { description: 'The key from its HORARIUM_PING_URL.', schema: text },
    progress: { description: 'How far it is, in percent.', schema: { type: 'integer', minimum: 0, maximum: 100 } },
    message: { description: 'What it is doing. Secrets that the job was given are hidden in it.', schema: text },
  },
  errors: [422],
  responses: {
    200: {
      description: 'The service answers; a heartbeat is noted.',
      body: {
        schema: objectOf({ pong: { const: true }, time }),
        example: { pong: true, time: '2026-11-21T05:00:00.000Z' },
      },
    },
  },
};

export const statusShape: RouteShape = {
  operation: 'getStatus',
  tag,
  responses: {
    200: {
      description: 'How it is.',
      body: {
        schema: {
          ...objectOf({
            version: text,
            uptime: { ...count, description: 'Seconds.' },
            time,
            database: { ...text, description: 'sqlite, postgresql or memory.' },
            workers: { type: 'array', items: worker },
            scheduler: objectOf({ lag_seconds: { type: 'number' } }),
            queue: objectOf({ due: count, running: count }),
            counts: { type: 'object', additionalProperties: count },
            audit_head: {
              ...objectOf({ seq: count, hash: text }),
              description: 'The end of the audit chain; shown to admins.',
            },
          }),
          required: ['version', 'uptime', 'time', 'database', 'workers', 'scheduler', 'queue', 'counts'],
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

export const indexShape: RouteShape = {
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
            path: text,
            purpose: text,
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

export const healthShape: RouteShape = {
  operation: 'getHealth',
  tag,
  responses: { 200: health('ok', 'The process lives.') },
};

export const readyShape: RouteShape = {
  operation: 'getReadiness',
  tag,
  responses: {
    200: health('ok', 'It is ready.'),
    503: health('unavailable', 'It is not: the database does not answer.'),
  },
};
