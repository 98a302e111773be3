import type { ReplyHeader } from '@horarium/core';
import { textSchema } from './json-schemas.ts';

type HeaderName = ReplyHeader | 'X-Request-Id' | 'WWW-Authenticate' | 'Retry-After' | 'Allow' | 'Idempotency-Replayed';

export const responseHeaders: Readonly<Record<HeaderName, object>> = {
  'X-Request-Id': {
    required: true,
    description: 'The id of the request in the logs of the service: yours, if you sent a valid one.',
    schema: textSchema,
    example: '0d0f6a52-3f0e-4f66-9a3c-2f7d4f0f5a0b',
  },
  ETag: {
    required: true,
    description: 'The version of the record, for If-Match and If-None-Match.',
    schema: { type: 'string', pattern: '^"[^"]+"$' },
    example: '"v3"',
  },
  Link: {
    description: 'The URL of the next page; absent on the last one.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"' },
    example: '</api/v1/apps.json?limit=100&after=JTVC>; rel="next"',
  },
  Location: {
    required: true,
    description: 'The URL of the new record.',
    schema: textSchema,
    example: '/api/v1/app/1.json',
  },
  'X-Total-Count': {
    required: true,
    description: 'The number of records on all pages, exact up to 10 000.',
    schema: { type: 'string', pattern: '^(?:\\d+|10000\\+)$' },
    example: '23',
  },
  'WWW-Authenticate': {
    required: true,
    description: 'The ways to sign in.',
    schema: textSchema,
    example: 'Bearer error="invalid_token"',
  },
  'Retry-After': {
    required: true,
    description: 'Seconds to wait.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '8',
  },
  Allow: {
    required: true,
    description: 'The methods that the path knows.',
    schema: { type: 'string', pattern: '^[A-Z]+(?:, [A-Z]+)*$' },
    example: 'GET, HEAD, POST',
  },
  'Content-Disposition': {
    required: true,
    description: 'The file is to be saved, under this name.',
    schema: { type: 'string', pattern: '^attachment; filename=' },
    example: 'attachment; filename=backup.sql',
  },
  'Set-Cookie': {
    required: true,
    description: 'The cookie of the session.',
    schema: textSchema,
    example: 'horarium_session=; Max-Age=0; Path=/console/api/; HttpOnly; SameSite=Strict',
  },
  Warning: {
    description:
      'The request was carried out, but something may differ from what you expect: a quoted sentence for each.',
    schema: { type: 'string', pattern: '^299 - "' },
    example: '299 - "values.PIN is shorter than 6 characters: it is encrypted, but not masked where a job prints it."',
  },
  'Idempotency-Replayed': {
    description: 'Present if the request was carried out before; this is its stored response.',
    schema: { const: 'true' },
    example: 'true',
  },
};

const requestHeaders = {
  'If-Match': {
    description: 'Write only if the record is still at this version; otherwise 412.',
    example: '"v3"',
  },
  'If-None-Match': {
    description:
      'With GET: respond with 304 if the record is still at this version. With POST the only value is *: create a record, and change none that exists.',
    example: '*',
  },
  'Idempotency-Key': {
    schema: { ...textSchema, maxLength: 255 },
    description:
      'The same request with the same key within 24 hours changes nothing and gets the first response again.',
    example: '5f0c7a3e-8a0e-4f0e-a6a5-5e1a5c1f3b77',
  },
};

/** Describes a header that a request may carry. */
export function requestHeader(name: keyof typeof requestHeaders): object {
  return { name, in: 'header', schema: textSchema, ...requestHeaders[name] };
}

/** Refers to headers; the document describes each once. */
export function headersNamed(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
