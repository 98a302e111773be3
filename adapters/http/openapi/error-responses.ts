import type { JsonSchema, Route } from '@horarium/core';
import { type ProblemCode, statuses } from '../reply/problems.ts';
import { acceptsSuffix } from '../route-paths.ts';
import { headersNamed } from './headers.ts';
import { objectOf, schemaNamed, textSchema } from './json-schemas.ts';

const codes = Object.keys(statuses) as ProblemCode[];

/** The schema of every error. */
export const problemSchema: JsonSchema = {
  ...objectOf({
    type: { const: 'about:blank' },
    title: textSchema,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { ...textSchema, description: 'A sentence that names the culprit.' },
    code: { enum: codes },
    request_id: { ...textSchema, description: 'The id of the request in the logs of the service.' },
    errors: {
      type: 'array',
      items: objectOf({ field: textSchema, message: textSchema }),
      description: 'With 422: one entry for each invalid field.',
    },
  }),
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  description: 'An error, with the members of RFC 9457 and some more.',
};

/** The description and an example of each status. */
const errors: Readonly<
  Record<number, { readonly code: ProblemCode; readonly description: string; readonly detail: string }>
> = {
  400: {
    code: 'bad_request',
    description: 'The URL, a header or the syntax of the body is invalid.',
    detail: 'There is no query parameter limt here; it accepts limit, offset, after, order.',
  },
  401: {
    code: 'unauthenticated',
    description: 'No credentials, or invalid ones.',
    detail: 'The token is unknown, expired or revoked.',
  },
  403: {
    code: 'denied',
    description: 'Not allowed to this user, over plain HTTP, or from another site.',
    detail: 'jane may not create RunTemplate records of company 1.',
  },
  404: {
    code: 'not_found',
    description: 'There is no such record that this user may see, or no such format.',
    detail: 'There is no App 12.',
  },
  405: {
    code: 'method_not_allowed',
    description: 'The path does not support the method; Allow lists those that it supports.',
    detail: 'PUT is not possible at /api/v1/app/12.json, only DELETE, GET, HEAD, POST.',
  },
  409: {
    code: 'conflict',
    description: 'The state of the record does not allow it, or the Idempotency-Key was used for another request.',
    detail: 'RunTemplate 1 is not active.',
  },
  412: {
    code: 'precondition_failed',
    description: 'The record is not at the version that If-Match or If-None-Match names.',
    detail: 'App 12 was changed meanwhile.',
  },
  413: {
    code: 'payload_too_large',
    description: 'The body is too large.',
    detail: 'The body is larger than 1048576 bytes.',
  },
  415: {
    code: 'unsupported_media_type',
    description: 'The body is neither JSON nor a form, or it is compressed.',
    detail: 'A body of type text/plain is not accepted; send application/json or application/x-www-form-urlencoded.',
  },
  422: {
    code: 'invalid',
    description: 'Fields are invalid; the response names each of them.',
    detail: 'App is invalid: name is required',
  },
  429: {
    code: 'too_many_requests',
    description:
      'Too many requests a second, failed attempts to sign in, live Idempotency-Keys or waiting jobs, or the artifacts of ' +
      'the day are used up; Retry-After says how long to wait.',
    detail: 'Too many attempts to sign in; try again in 8 seconds.',
  },
  500: {
    code: 'internal',
    description: 'An error of the service.',
    detail: 'Something went wrong here; the log tells more under this request id.',
  },
  503: {
    code: 'unavailable',
    description: 'The database does not answer.',
    detail: 'The database is gone.',
  },
};

/** Lists the error statuses that a route may respond with, beyond those among its own responses. */
export function errorStatuses(route: Route): number[] {
  const { method, authentication, shape } = route;
  const required = authentication === 'required';
  // A route that checks credentials, or a key, reads the store.
  const readsStore = required || route.confidential !== undefined;
  const namesRecord = acceptsSuffix(route) || route.path.includes('{');
  const conditions: readonly (readonly [number, boolean])[] = [
    [400, true],
    [401, required],
    [403, true],
    [404, namesRecord || (readsStore && method === 'POST' && Object.keys(shape.parameters ?? {}).length > 0)],
    [405, true],
    [409, required && method !== 'GET'],
    [412, (shape.preconditions ?? []).length > 0 && method !== 'GET'],
    [413, method === 'POST'],
    [415, method === 'POST'],
    [422, method === 'POST'],
    [429, required],
    [500, readsStore],
    [503, readsStore],
  ];
  const possibleStatuses = conditions
    .filter(([status, applies]) => applies || shape.errors?.includes(status))
    .map(([status]) => status);
  return possibleStatuses.filter((status) => !(status in shape.responses));
}

/** Names the response with a status among the document's components: `NotFound`. */
export function errorName(status: number): string {
  const error = errors[status];
  if (!error) throw new Error(`No error has the status ${status}.`);
  return error.code.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** Describes one response for each error. @param contents writes a sample in every format. */
export function errorResponses(
  contents: (sample: { schema: JsonSchema; example: unknown }) => object,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(errors).map(([key, { code, description, detail }]) => {
      const status = Number(key);
      const [, title] = statuses[code];
      const fields = status === 422 ? { errors: [{ field: 'name', message: 'name is required' }] } : {};
      const request_id = '0d0f6a52-3f0e-4f66-9a3c-2f7d4f0f5a0b';
      const example = { type: 'about:blank', title, status, detail, code, request_id, ...fields };
      return [
        errorName(status),
        {
          description,
          headers: headersOf(status),
          content: contents({ schema: schemaNamed('Problem'), example }),
        },
      ];
    }),
  );
}

const headersByStatus: Readonly<Record<number, 'WWW-Authenticate' | 'Allow' | 'Retry-After'>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
};

function headersOf(status: number): Record<string, object> {
  const extra = headersByStatus[status];
  return headersNamed(['X-Request-Id', ...(extra === undefined ? [] : [extra])]);
}
