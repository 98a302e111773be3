import type { OpenApiCheck } from '../http/openapi-check.ts';
import type { RawRequest } from './raw-request.ts';
import type { RawResponse } from './send-raw.ts';

/** How a response differs from the service's own OpenAPI document. */
export function checkAgainstDocument(
  check: OpenApiCheck,
  { method, target }: RawRequest,
  response: RawResponse | null,
): string[] {
  // Node rejects malformed HTTP before a request reaches the API.
  if (!response?.headers.has('x-request-id')) return [];
  const { status, body } = response;
  // A target that begins with two slashes is a path without a host.
  const { pathname, search } = new URL(
    target.startsWith('/') ? `http://localhost${target}` : target,
    'http://localhost',
  );
  // The document describes no paths with empty segments, ids or suffixes.
  if (/\/[./]|\.\.|\.\/?$/.test(pathname)) return [];
  const headers = Object.fromEntries(response.headers);
  try {
    check.check({ method, path: pathname + search }, { status, headers, text: body.toString() });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
