import type { AnyResource, BodyShape, Format, ParameterShape, ReplyShape, Route } from '@horarium/core';
import { takesSuffix } from '../routes/route.ts';
import { contentsOf } from './contents.ts';
import { headersNamed, requestHeader } from './headers.ts';
import { refusalName, refusalsOf } from './refusals.ts';
import { rightsWords } from './rights.ts';

/** One row of the API as an operation of OpenAPI. */
export function operationOf(
  route: Route,
  path: string,
  formats: readonly Format[],
  resources: readonly AnyResource[],
): object {
  const { shape, summary: purpose } = route;
  const parameters = parametersOf(route, path, formats);
  const replies = Object.entries(shape.responses).map(([status, reply]) => [status, replyOf(reply, route, formats)]);
  const refusals = refusalsOf(route).map((status) => [
    status,
    { $ref: `#/components/responses/${refusalName(status)}` },
  ]);
  return {
    operationId: shape.operation,
    tags: [shape.tag],
    summary: purpose,
    description: rightsWords(route, resources),
    ...(shape.requestBody ? { requestBody: bodyOf(shape.requestBody) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...securityOf(route),
    responses: Object.fromEntries([...replies, ...refusals]),
  };
}

/** The path as OpenAPI has it. That a slash at its end means nothing is said once, in the introduction. */
export function pathOf(route: Route): string {
  const path = route.path.replace(/\/$/, '');
  return route.suffixOptional ? `${path}.{suffix}` : path;
}

/** Whether it heeds an `Idempotency-Key`. */
function isRepeatable({ method, authentication }: Route): boolean {
  return method === 'POST' && authentication === 'required';
}

/** The formats that answers of a row are written in. */
function writable(route: Route, formats: readonly Format[]): readonly Format[] {
  return takesSuffix(route) ? formats : formats.filter((format) => format.suffix === 'json');
}

function parametersOf(route: Route, path: string, formats: readonly Format[]): object[] {
  const { shape } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name as string, formats));
  const inQuery = Object.entries(shape.parameters ?? {}).map(([name, parameter]) => queryParameter(name, parameter));
  const inHeaders = (shape.preconditions ?? []).map(requestHeader);
  const repeats = isRepeatable(route) ? [requestHeader('Idempotency-Key')] : [];
  return [...inPath, ...inQuery, ...inHeaders, ...repeats];
}

function pathParameter(name: string, formats: readonly Format[]): object {
  if (name !== 'suffix')
    return {
      name,
      in: 'path',
      required: true,
      schema: { type: 'integer', minimum: 1 },
      description: 'An id.',
      example: 1,
    };
  const suffixes = formats.map((format) => format.suffix);
  return {
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', enum: suffixes },
    description: 'The format of the answer. The suffix and its dot may be left out: then it is JSON.',
    example: 'json',
  };
}

function queryParameter(name: string, { description, schema, example, required }: ParameterShape): object {
  return {
    name,
    in: 'query',
    description: description,
    schema,
    ...(required ? { required } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function securityOf({ authentication, shape }: Route): object {
  if (authentication === 'required') return {};
  return { security: shape.basicOnly ? [{ basic: [] }] : [] };
}

const form = 'application/x-www-form-urlencoded';

/** In a form structured fields are sent as JSON, lists by repeating the field. */
function bodyOf({ schema, example, optional }: BodyShape): object {
  const content = { schema, example };
  return { required: optional !== true, content: { 'application/json': content, [form]: content } };
}

function replyOf(
  { description, body, otherContent, headers = [] }: ReplyShape,
  route: Route,
  formats: readonly Format[],
): object {
  const content = { ...(body ? contentsOf(body, writable(route, formats), 'value') : {}), ...otherContent };
  const repeated = isRepeatable(route) ? (['Idempotency-Replayed'] as const) : [];
  return {
    description: description,
    headers: headersNamed(['X-Request-Id', ...headers, ...repeated]),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}
