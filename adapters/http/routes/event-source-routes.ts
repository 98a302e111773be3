import { EventSource, type Route } from '@horarium/core';
import { objectOf } from '../openapi/json-schemas.ts';
import { itemReply } from '../reply/item-reply.ts';

const reachability = {
  schema: objectOf({
    reachable: { type: 'boolean' },
    message: { type: 'string' },
    latency_ms: { type: 'number', minimum: 0 },
  }),
  example: { reachable: true, message: 'The table changes_cache can be read.', latency_ms: 12 },
};

/** The test of an event source; its records have the routes of every resource. */
export const eventSourceRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/eventsource/{eventSourceId}/test.{suffix}',
    summary: 'Test whether the database of an event source can be reached and read',
    authentication: 'required',
    shape: {
      operation: 'testEventSource',
      tag: EventSource.names.plural,
      right: { resource: 'EventSource', verbs: ['update'] },
      responses: { 200: { description: 'Whether it is reachable.', body: reachability } },
    },
    handle: async (context) => {
      const id = context.id('eventSourceId');
      const reachability = await context.core.eventSources.test(context.actor, id);
      const writtenRecord = { resource: EventSource.name, row: { id }, created: false };
      return context.inTransaction(async () => ({
        ...itemReply('reachability', reachability),
        writtenRecord,
      }));
    },
  },
];
