import { parse as parseYaml } from 'yaml';
import { isApiPath } from '../../../adapters/http/base-path.ts';
import { readXml } from '../formats/read-xml.ts';
import type { OpenApiCheck } from '../http/openapi-check.ts';
import { injectedHeader, unescaped } from './arbitrary/hostile-values.ts';
import { hangsUp, type RawRequest } from './raw-request.ts';
import type { Exchange, RawResponse } from './send-raw.ts';

/** Checks one response. @returns a sentence for each problem. */
export function checkResponse(request: RawRequest, { response, timedOut, milliseconds }: Exchange): string[] {
  const { method } = request;
  if (timedOut) return [`No response within ${Math.round(milliseconds)} ms.`];
  // Node closes the connection on CONNECT, and when the client closes it first.
  if (response === null)
    return method === 'CONNECT' || hangsUp(request) ? [] : ['The connection was closed without a response.'];
  const { status, headers, body } = response;
  const type = headers.get('content-type') ?? '';
  const text = body.toString();
  const summary = `${status} ${text.slice(0, 500)}`;
  const problems: string[] = [];
  if (status >= 500) problems.push(`The response was ${summary}`);
  if (headers.has(injectedHeader)) problems.push('A header was injected into the response.');
  if (/html|xml/.test(type) && text.includes(unescaped)) problems.push(`A value was not escaped: ${summary}`);
  // Node rejects malformed HTTP before a request reaches the API.
  if (!headers.has('x-request-id')) {
    if (status >= 500 || status < 400) problems.push(`The response has no request id: ${summary}`);
    return problems;
  }
  for (const name of ['x-content-type-options', 'content-security-policy', 'cache-control'])
    if (!headers.has(name)) problems.push(`The header ${name} is missing: ${summary}`);
  if (method === 'HEAD' || body.length === 0) return problems;
  const readBody = readers.find(([pattern]) => pattern.test(type))?.[1];
  try {
    readBody?.(text);
  } catch (error) {
    problems.push(`Its ${type} cannot be read (${(error as Error).message}): ${summary}`);
  }
  return problems;
}

const readers: readonly (readonly [RegExp, (text: string) => unknown])[] = [
  [/\bjson\b/, JSON.parse],
  [/\bxml\b/, readXml],
  [/\byaml\b/, (text) => parseYaml(text)],
];

/** Checks one response against the OpenAPI document of the service. @returns a sentence for each difference. */
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
  // The pages of the console and their files are no part of the API.
  if (!isApiPath(pathname) && !check.describes(pathname)) return [];
  const headers = Object.fromEntries(response.headers);
  try {
    check.check({ method, path: pathname + search }, { status, headers, text: body.toString() });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
