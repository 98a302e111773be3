import { HorariumError, type HttpRequest, type Route } from '@horarium/core/plugin';
import { isRefusal, verifyWebhook, type WebhookHeaders } from '../standard-webhooks/standard-webhooks.ts';
import { changeOf } from './webhook-change.ts';

/** The name of the kind whose sources the route serves. */
export const webhookKind = 'webhook';

/** The largest body, in bytes. Standard Webhooks advises senders to stay below 20 kB. */
const maxBody = 1024 * 1024;

/** `POST /hook/{name}`, at the root: senders authenticate by their signatures. */
export const hookRoute: Route = {
  method: 'POST',
  path: '/hook/{name}',
  summary: 'Send an event to the event source of that name, of the kind webhook, signed as Standard Webhooks says',
  authentication: 'none',
  confidential: () => true,
  atRoot: true,
  readsBody: true,
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
        description: 'When it was sent, in seconds since 1970: five minutes from now at most.',
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
      schema: { type: 'object' },
      example: { type: 'order.created', timestamp: '2026-11-21T05:00:00Z', data: { id: 'o-1001', total: 12.5 } },
    },
    responses: {
      202: {
        description: 'It is stored, and what reacts to it starts; a message that was received before has its first id.',
        body: {
          schema: { type: 'object', properties: { event_id: { type: 'integer' } }, required: ['event_id'] },
          example: { event_id: 1 },
        },
      },
    },
  },
  async handle({ core, actor, request }) {
    const name = request.params['name'] ?? '';
    const body = await readBody(request);
    const event_id = await core.eventSources.receive(actor, { kind: webhookKind, name }, (options, now) => {
      const secrets = [options['secret'], options['previous_secret']].filter((each) => typeof each === 'string');
      const message = verifyWebhook(headersOf(request), body, secrets, Math.floor(now / 1000));
      if (isRefusal(message)) throw new HorariumError('denied', `${message.reason}.`);
      return changeOf(message.id, body);
    });
    return { status: 202, value: { event_id } };
  },
};

/** Reads headers that occur once. */
function headersOf({ headers }: HttpRequest): (name: keyof WebhookHeaders) => string | undefined {
  return (name) => (headers[name]?.length === 1 ? headers[name][0] : undefined);
}

/** @throws HorariumError for a body that is too large, breaks off or is not UTF-8. */
async function readBody({ body }: HttpRequest): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  try {
    for await (const bytes of body) {
      size += bytes.length;
      if (size <= maxBody) text += decoder.decode(bytes, { stream: true });
      else throw new HorariumError('invalid', `The body is larger than ${maxBody} bytes.`);
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    const isText = !(error instanceof TypeError);
    throw new HorariumError(
      'bad_request',
      isText ? 'The body broke off before its end.' : 'The body is not valid UTF-8.',
    );
  }
}
