import { HorariumError, type HttpRequest, type Route } from '@horarium/core/plugin';
import { isRefusal, verifyWebhook, type WebhookHeaders } from '../standard-webhooks/standard-webhooks.ts';
import { changeOf } from './webhook-change.ts';

/** The name of the kind whose sources the route serves. */
export const webhookKind = 'webhook';

/** The largest body, in bytes. Standard Webhooks advises senders to stay below 20 kB. */
const maxBody = 1024 * 1024;
/** The largest body from where too much was refused lately: who guesses keys makes the service hash no more. */
const maxThrottledBody = 16 * 1024;

/** `POST /hook/{name}`, at the root: senders authenticate by their signatures. */
export const hookRoute: Route = {
  method: 'POST',
  path: '/hook/{name}',
  summary: 'Send an event to an event source of the kind webhook, signed as Standard Webhooks says',
  authentication: 'none',
  confidential: () => true,
  atRoot: true,
  readsBody: 'json',
  shape: {
    operation: 'receiveWebhook',
    tag: 'eventsources',
    errors: [403, 404, 422, 429],
    pathParameters: {
      name: { description: 'The name of the event source.', schema: { type: 'string' }, example: 'shop' },
    },
    headers: {
      'webhook-id': {
        description: 'Names the message: the same for every delivery of it.',
        schema: { type: 'string', minLength: 1 },
        required: true,
      },
      'webhook-timestamp': {
        description: 'When it was sent, in seconds since 1970; at most five minutes ago or ahead.',
        schema: { type: 'string', pattern: '^\\d{1,12}$' },
        required: true,
      },
      'webhook-signature': {
        description: 'v1, and the HMAC-SHA256 of id.timestamp.body in base64; several are separated by spaces.',
        schema: { type: 'string', minLength: 1 },
        required: true,
      },
    },
    requestBody: {
      schema: { type: 'object', 'x-max-json-length': maxBody },
      example: { type: 'order.created', timestamp: '2026-11-21T05:00:00Z', data: { id: 'o-1001', total: 12.5 } },
    },
    responses: {
      202: {
        description: 'The event is stored, and rules react to it. A repeated message gets the id of its first event.',
        body: {
          schema: { type: 'object', properties: { event_id: { type: 'integer' } }, required: ['event_id'] },
          example: { event_id: 1 },
        },
      },
    },
  },
  async handle(context) {
    const { core, actor, request } = context;
    const name = request.params['name'] ?? '';
    const source = { kind: webhookKind, name };
    const event_id = await core.eventSources.receive(actor, source, async (options, { now, isThrottled }) => {
      const secrets = [options['secret'], options['previous_secret']].filter((each) => typeof each === 'string');
      const body = await context.readText(isThrottled ? maxThrottledBody : maxBody);
      const message = verifyWebhook(headersOf(request), body, secrets, Math.floor(now / 1000));
      if (isRefusal(message)) throw new HorariumError('denied', `${message.reason}.`);
      return () => changeOf(message.id, body);
    });
    return { status: 202, value: { event_id } };
  },
};

/** Reads headers that occur once. */
function headersOf({ headers }: HttpRequest): (name: keyof WebhookHeaders) => string | undefined {
  return (name) => (headers[name]?.length === 1 ? headers[name][0] : undefined);
}
