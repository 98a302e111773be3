import {
  AuditLog,
  type ChangeNotice,
  type Clock,
  type FollowedChanges,
  memoized,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  type Sample,
  shownChange,
  yieldToEventLoop,
} from '@horarium/core';
import { countSchema, textSchema } from '../../openapi/json-schemas.ts';
import { isExpected } from '../../reply/problems.ts';
import { lastEventId } from '../../request/last-event-id.ts';

const events: Sample = {
  schema: {
    ...textSchema,
    description:
      'Server-sent events. `ready` = every later change is sent: read now what you show. `change` = a record was created, updated or deleted. `reset` = changes were left out: read again what you show.',
  },
  example:
    'event: ready\ndata: {}\nid: 42\n\nevent: change\ndata: {"id":43,"created_at":"2026-11-20T23:30:01.000Z","action":"update","entity_type":"RunTemplate","entity_id":1,"company_id":1,"fields":["deadline"]}\n\nid: 43\n\n',
};

const watchShape: RouteShape = {
  operation: 'watchChanges',
  tag: AuditLog.names.plural,
  parameters: {
    entity_type: {
      description: 'Only records of these resources, separated by commas, such as RunTemplate,Task.',
      schema: textSchema,
    },
    after: {
      description:
        'Only changes after this entry of the audit log, by its seq. Browsers send it as Last-Event-ID when they connect again.',
      schema: countSchema,
    },
  },
  responses: { 200: { description: 'The changes, as they are made.', otherContent: { 'text/event-stream': events } } },
};

/** Serves the changes of all records that the caller may see, as they are made. */
export const changesRoute: Route = {
  method: 'GET',
  path: '/changes',
  summary: 'Watch the changes of records',
  authentication: 'required',
  shape: watchShape,
  handle: watchChanges,
};

async function watchChanges(context: RouteContext): Promise<Reply> {
  const { core, query, request } = context;
  const kinds = query
    .get('entity_type')
    ?.split(',')
    .map((name) => name.trim());
  const after = lastEventId(request, query);
  const { signal } = request;
  const followed = core.changes.follow(() => context.currentActor(), { kinds, signal, after, quiet });
  return { stream: { mime: 'text/event-stream', pieces: write(followed, core.clock, signal) } };
}

/** After how long without a change the client hears that the connection lives, so that no proxy takes it for dead. */
const quiet = 15_000;
/** The least time between two pieces for one client: what changes meanwhile is sent at once. */
const sendInterval = 100;
/** How long a browser waits before it connects again. */
const retryDelay = 1000;

/**
 * Writes server-sent events. Each piece ends with the id behind which a client resumes. The stream ends when the caller may
 * no longer sign in; the response to a reconnect says why.
 */
async function* write(
  followed: AsyncIterable<FollowedChanges>,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<string> {
  let opening = `retry: ${retryDelay}\nevent: ready\ndata: {}\n\n`;
  try {
    for await (const { changes, isReset, after } of followed) {
      await yieldToEventLoop();
      const reset = isReset ? 'event: reset\ndata: {}\n\n' : '';
      yield `${opening}${reset}${changes.map(eventOf).join('')}id: ${after}\n\n`;
      opening = '';
      await clock.sleep(sendInterval, signal);
    }
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}

/** Writes the event of a change: once, for all clients. */
const eventOf = memoized((change: ChangeNotice): string => {
  return `event: change\ndata: ${JSON.stringify(shownChange(change))}\n\n`;
});
