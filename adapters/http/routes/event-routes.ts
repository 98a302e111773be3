import { type AnyResource, Event, EventSource, Job, type Route } from '@horarium/core';
import { recordSample } from '../openapi/record-shapes.ts';
import { itemReply } from '../reply/item-reply.ts';
import { readPreconditions } from '../request/preconditions.ts';
import { savedReply } from './resource-routes.ts';

const tag = Event.names.plural;

/**
 * Routes of events beyond their records: one that was set aside is retried, and admins read what a source told of one.
 * @param event the resource, with the computed fields that responses have.
 */
export const eventRoutes = (event: AnyResource): readonly Route[] => [
  {
    method: 'POST',
    path: '/event/{eventId}/retry.{suffix}',
    summary: 'Retry an event that was set aside: the rules that have not fired are tried again',
    authentication: 'required',
    shape: {
      operation: 'retryEvent',
      tag,
      right: { resource: Job.name, verbs: ['create'] },
      responses: { 200: { description: 'The event, which is pending.', body: recordSample(event), headers: ['ETag'] } },
      preconditions: ['If-Match'],
      dryRun: true,
    },
    handle: async (context) => {
      const { core, actor, request } = context;
      const { version } = readPreconditions(request);
      return context.inTransaction(async (tables) => {
        const row = await core.events.retryIn(tables, actor, context.id('eventId'), { version });
        return savedReply(context, Event, tables, row, { created: false });
      });
    },
  },
  {
    method: 'GET',
    path: '/event/{eventId}/payload.{suffix}',
    summary: 'Read the data of an event, as its source reported it',
    authentication: 'required',
    shape: {
      operation: 'getEventPayload',
      tag,
      right: { resource: EventSource.name, verbs: ['update'] },
      responses: {
        200: {
          description: 'The columns of the change; none for the end of a job or a task.',
          body: {
            schema: { type: 'object', additionalProperties: true },
            example: { inversion: 4711, recordid: '1001', evidence: 'invoice', operation: 'create' },
          },
        },
      },
    },
    handle: async (context) =>
      itemReply('payload', await context.core.events.payload(context.actor, context.id('eventId'))),
  },
];
