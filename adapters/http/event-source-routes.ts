import { EventSource, type Reachability } from '@horarium/core';
import { item } from './other-routes.ts';
import { objectOf } from './route-shape.ts';
import type { Route } from './routes.ts';

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
    purpose: 'Test whether the database of an event source can be reached and read',
    authentication: 'required',
    shape: {
      operation: 'testEventSource',
      chapter: EventSource.words.many,
      right: { resource: 'EventSource', verbs: ['update'] },
      gives: { 200: { note: 'Whether it can.', body: reachability } },
    },
    answer: async ({ core, actor, id, changing }) =>
      changing<Reachability>(
        (around) => core.eventSources.test(actor, id('eventSourceId'), around),
        (_tables, reachability) => item('reachability', reachability),
      ),
  },
];
