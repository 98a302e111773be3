import type { JsonSchema, Route } from '@horarium/core';
import { meanings, type ProblemCode } from '../reply/problems.ts';
import { takesSuffix } from '../routes/route.ts';
import { objectOf, schemaNamed } from '../routes/route-shape.ts';
import { headersNamed } from './headers.ts';

const codes = Object.keys(meanings) as ProblemCode[];
const text: JsonSchema = { type: 'string' };

/** How every error is written, whatever it is. */
export const problemSchema: JsonSchema = {
  ...objectOf({
    type: { const: 'about:blank' },
    title: text,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { ...text, description: 'A sentence that names the culprit.' },
    code: { enum: codes },
    request_id: { ...text, description: 'What the log of the service calls the request.' },
    errors: {
      type: 'array',
      items: objectOf({ field: text, message: text }),
      description: 'With 422: one entry for each wrong field.',
    },
  }),
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  description: 'An error, with the members of RFC 9457 and some more.',
};

/** When each status comes, and what it says then. */
const refusals: Readonly<
  Record<number, { readonly code: ProblemCode; readonly description: string; readonly detail: string }>
> = {
  400: {
    code: 'bad_request',
    description: 'Something in the address, a header or the form of the body is not as it must be.',
    detail: 'There is no query parameter limt here; it knows limit, offset, after, order.',
  },
  401: {
    code: 'unauthenticated',
    description: 'No credentials, or none that count.',
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
    description: 'The path does not know the method that was used; Allow lists those that it knows.',
    detail: 'PUT is not possible at /api/v1/app/12.json, only DELETE, GET, HEAD, POST.',
  },
  409: {
    code: 'conflict',
    description: 'The state of things does not allow it, or an Idempotency-Key was used for another request.',
    detail: 'RunTemplate 1 is not active.',
  },
  412: {
    code: 'precondition_failed',
    description: 'The record is not, or no longer, as If-Match or If-None-Match says.',
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
    detail: 'A body of type text/plain is not taken; send application/json or application/x-www-form-urlencoded.',
  },
  422: {
    code: 'invalid',
    description: 'Fields are wrong; every one of them is named.',
    detail: 'App is invalid: name is required',
  },
  429: {
    code: 'too_many_requests',
    description: 'Too many failed attempts to sign in; Retry-After says how long to wait.',
    detail: 'Too many attempts to sign in; try again in 8 seconds.',
  },
  500: {
    code: 'internal',
    description: 'A mistake of the service.',
    detail: 'Something went wrong here; the log tells more under this request id.',
  },
  503: {
    code: 'unavailable',
    description: 'The database does not answer.',
    detail: 'The database is gone.',
  },
};

/** The statuses that a row may refuse a request with, beyond those that it gives itself. */
export function refusalsOf(route: Route): number[] {
  const { method, authentication, shape } = route;
  const required = authentication === 'required';
  // Whoever looks at credentials, or at a key, asks the store.
  const stores = required || route.confidential !== undefined;
  const named = takesSuffix(route) || route.path.includes('{');
  const possible: readonly (readonly [number, boolean])[] = [
    [400, true],
    [401, required],
    [403, true],
    [404, named || Object.keys(shape.parameters ?? {}).length > 0],
    [405, true],
    [409, required && method !== 'GET'],
    [412, (shape.preconditions ?? []).length > 0 && method !== 'GET'],
    [413, method === 'POST'],
    [415, method === 'POST'],
    [422, method === 'POST'],
    [429, required],
    [500, stores],
    [503, stores],
  ];
  const refused = possible.filter(([status, so]) => so || shape.errors?.includes(status)).map(([status]) => status);
  return refused.filter((status) => !(status in shape.responses));
}

/** The name of the answer with that status among the document's parts: `NotFound`. */
export function refusalName(status: number): string {
  const refusal = refusals[status];
  if (!refusal) throw new Error(`Nothing is refused with ${status}.`);
  return refusal.code.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** All refusals, each as one answer in every format. `contents` writes a sample down in the formats there are. */
export function refusalResponses(
  contents: (sample: { schema: JsonSchema; example: unknown }) => object,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(refusals).map(([key, { code, description, detail }]) => {
      const status = Number(key);
      const [, title] = meanings[code];
      const errors = status === 422 ? { errors: [{ field: 'name', message: 'name is required' }] } : {};
      const request_id = '0d0f6a52-3f0e-4f66-9a3c-2f7d4f0f5a0b';
      const example = { type: 'about:blank', title, status, detail, code, request_id, ...errors };
      return [
        refusalName(status),
        {
          description: description,
          headers: headersOf(status),
          content: contents({ schema: schemaNamed('Problem'), example }),
        },
      ];
    }),
  );
}

const extraHeaders: Readonly<Record<number, 'WWW-Authenticate' | 'Allow' | 'Retry-After'>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
};
/** Refusals that say something of the request itself: sent again with its key, it gets the same one. */
const kept: ReadonlySet<number> = new Set([400, 404, 409, 412, 415, 422]);

function headersOf(status: number): Record<string, object> {
  const extra = extraHeaders[status];
  return headersNamed([
    'X-Request-Id',
    ...(extra === undefined ? [] : [extra]),
    ...(kept.has(status) ? (['Idempotency-Replayed'] as const) : []),
  ]);
}
