import { createHmac, timingSafeEqual } from 'node:crypto';

/** A message of a webhook, as it is signed. */
export interface WebhookMessage {
  /** The same for every delivery of the message. */
  readonly id: string;
  /** When it is sent, in whole seconds since 1970. */
  readonly timestamp: number;
  /** The body as it is sent, unparsed. */
  readonly body: string;
}

/** The headers that carry a signed message, in lower case. */
export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Why a message is not accepted as one of the sender. */
export interface WebhookRefusal {
  /** One sentence. */
  readonly reason: string;
}

/** How far the time of a message may differ from the receiver's, in seconds; the limit of Standard Webhooks. */
const webhookTolerance = 5 * 60;

/** A key as Standard Webhooks writes it: 24 to 64 bytes in base64, after `whsec_`. */
export const webhookSecret =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{84}(?:[A-Za-z0-9+/]{2}==)?)$/;

/** The version of the signatures that are made and accepted: HMAC-SHA256 in base64. */
const signatureVersion = 'v1,';

/**
 * Signs a message with every key, so that receivers accept it while its keys rotate.
 * @param secrets of the form `webhookSecret`, at least one.
 */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): WebhookHeaders {
  const signatures = secrets.map((secret) => `${signatureVersion}${hmacOf(message, secret).toString('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': `${message.timestamp}`,
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Verifies a message: one of its signatures must be of one of the keys, and its time near the receiver's, so that a
 * message that was overheard cannot be sent again later.
 * @param header returns the value of a header, by its name in lower case; undefined where it was not sent exactly once.
 * @param secrets of the form `webhookSecret`.
 * @param now the receiver's time in seconds since 1970.
 */
export function verifyWebhook(
  header: (name: keyof WebhookHeaders) => string | undefined,
  body: string,
  secrets: readonly string[],
  now: number,
): WebhookMessage | WebhookRefusal {
  const [id, sentAt, given] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  if (!id || !sentAt || !given)
    return refusal(
      'It is not signed: it needs the headers webhook-id, webhook-timestamp and webhook-signature, once each',
    );
  if (!/^\d{1,12}$/.test(sentAt)) return refusal('Its webhook-timestamp is no number of seconds since 1970');
  const message = { id, timestamp: Number(sentAt), body };
  if (!isSigned(message, sentAt, given, secrets))
    return refusal('None of its signatures was made with a key of this webhook');
  // After the signature, so that only the sender learns what the clocks differ by.
  const age = now - message.timestamp;
  if (Math.abs(age) <= webhookTolerance) return message;
  const side = age > 0 ? 'before' : 'after';
  return refusal(`It was signed ${Math.abs(Math.round(age))} s ${side} now; ${webhookTolerance} s are accepted`);
}

export function isRefusal(result: WebhookMessage | WebhookRefusal): result is WebhookRefusal {
  return 'reason' in result;
}

function isSigned(message: WebhookMessage, sentAt: string, given: string, secrets: readonly string[]): boolean {
  const signatures = given.split(' ').filter((signature) => signature.startsWith(signatureVersion));
  const received = signatures
    .slice(0, maxSignatures)
    .map((text) => Buffer.from(text.slice(signatureVersion.length), 'base64'));
  const expected = secrets.map((secret) => hmacOf({ ...message, timestamp: sentAt }, secret));
  // Every pair is compared, so that the time does not tell which one matches.
  const matches = expected.flatMap((own) =>
    received.map((other) => own.length === other.length && timingSafeEqual(own, other)),
  );
  return matches.includes(true);
}

/** More signatures than keys ever rotate at once, few enough to compare. */
const maxSignatures = 16;

function hmacOf(message: { id: string; timestamp: number | string; body: string }, secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${message.id}.${message.timestamp}.`).update(message.body).digest();
}

function refusal(reason: string): WebhookRefusal {
  return { reason };
}
