import { EventSource, type Reachability, type Route } from '@horarium/core';
import { objectOf } from './route-shape.ts';
import { item } from './system-routes.ts';

const reachability = {
  schema: objectOf({
    reachable: { type: 'boolean' },
    message: { type: 'string' },
    latency_ms: { type: 'number', minimum: 0 },
  }),
  example: { reachable: true, message: 'The table changes_cache can be read.', latency_ms: 12 },
};

/** What event sources can do beyond being records. */
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
      responses: { 200: { description: 'Whether it can.', body: reachability } },
    },
    handle: async ({ core, actor, id, inTransaction }) =>
      inTransaction<Reachability>(
        (hooks) => core.eventSources.test(actor, id('eventSourceId'), hooks),
        (_tables, reachability) => item('reachability', reachability),
      ),
  },
];
