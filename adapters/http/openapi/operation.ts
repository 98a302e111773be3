import {
  type AnyResource,
  type BodyShape,
  type Format,
  type JsonSchema,
  type ParameterShape,
  permissionRows,
  type ReplyShape,
  type Route,
  type Sample,
  type Verb,
} from '@horarium/core';
import { acceptsSuffix } from '../route-paths.ts';
import { errorName, errorStatuses } from './error-responses.ts';
import { headersNamed, requestHeader } from './headers.ts';
import { idSchema } from './json-schemas.ts';

/** Describes a route as an operation of OpenAPI. */
export function openapiOperation(
  route: Route,
  path: string,
  formats: readonly Format[],
  resources: readonly AnyResource[],
): object {
  const { shape, summary } = route;
  const parameters = parametersOf(route, path, formats);
  const replies = Object.entries(shape.responses).map(([status, reply]) => [status, replyOf(reply, route, formats)]);
  const errors = errorStatuses(route).map((status) => [
    status,
    { $ref: `#/components/responses/${errorName(status)}` },
  ]);
  return {
    operationId: shape.operation,
    tags: [shape.tag],
    summary,
    description: permissionSentence(route, resources),
    ...(shape.requestBody ? { requestBody: bodyOf(shape.requestBody, route.readsBody) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...securityOf(route),
    responses: Object.fromEntries([...replies, ...errors]),
  };
}

/** Writes the path for OpenAPI: without the trailing slash, which the introduction says is ignored. */
export function pathOf(route: Route): string {
  const path = route.path.replace(/\/$/, '');
  return route.suffixOptional ? `${path}.{suffix}` : path;
}

/** Whether the route accepts an `Idempotency-Key`. */
function isIdempotent({ method, authentication }: Route): boolean {
  return method === 'POST' && authentication === 'required';
}

/** Returns the formats that responses of a route are written in. */
function formatsOf(route: Route, formats: readonly Format[]): readonly Format[] {
  return acceptsSuffix(route) ? formats : formats.filter((format) => format.suffix === 'json');
}

function parametersOf(route: Route, path: string, formats: readonly Format[]): object[] {
  const { shape } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(route, name as string, formats));
  const parameters = { ...shape.parameters, ...(shape.dryRun ? { dry_run: dryRunParameter } : {}) };
  const inQuery = Object.entries(parameters).map(([name, parameter]) => givenParameter('query', name, parameter));
  const own = Object.entries(shape.headers ?? {}).map(([name, parameter]) => givenParameter('header', name, parameter));
  const inHeaders = [...own, ...(shape.preconditions ?? []).map(requestHeader)];
  const idempotencyKey = isIdempotent(route) ? [requestHeader('Idempotency-Key')] : [];
  return [...inPath, ...inQuery, ...inHeaders, ...idempotencyKey];
}

const dryRunParameter: ParameterShape = {
  description:
    'Change nothing, and respond as if it had been changed, with a Warning for each kind of record that would be ' +
    'created, updated or deleted. Ids of new records are not reserved, and an Idempotency-Key is ignored.',
  schema: { type: 'boolean', default: false },
};

function pathParameter({ shape }: Route, name: string, formats: readonly Format[]): object {
  const own = shape.pathParameters?.[name];
  if (own) return { name, in: 'path', required: true, ...own };
  if (name !== 'suffix')
    return { name, in: 'path', required: true, schema: idSchema, description: 'An id.', example: 1 };
  const suffixes = formats.map((format) => format.suffix);
  return {
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', enum: suffixes },
    description: 'The format of the response. Without the suffix and its dot the response is JSON.',
    example: 'json',
  };
}

function givenParameter(
  place: 'query' | 'header',
  name: string,
  { description, schema, example, required }: ParameterShape,
): object {
  return {
    name,
    in: place,
    description,
    schema,
    // Several values are separated by commas.
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    ...(required ? { required } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function securityOf({ authentication, shape }: Route): object {
  if (authentication === 'required') return {};
  return { security: shape.basicOnly ? [{ basic: [] }] : [] };
}

const formMime = 'application/x-www-form-urlencoded';

/** Describes a request body; forms send structured fields as JSON, and lists by repeating the field. */
function bodyOf({ schema, example, optional }: BodyShape, readsBody: Route['readsBody']): object {
  const content = { schema, example };
  const form = readsBody === 'json' ? {} : { [formMime]: content };
  return { required: optional !== true, content: { 'application/json': content, ...form } };
}

function replyOf(
  { description, body, otherContent, headers = [] }: ReplyShape,
  route: Route,
  formats: readonly Format[],
): object {
  const content = { ...(body ? contentsOf(body, formatsOf(route, formats), 'value') : {}), ...otherContent };
  const ofChanges = isIdempotent(route)
    ? (['Idempotency-Replayed', 'Warning'] as const)
    : route.shape.dryRun
      ? (['Warning'] as const)
      : [];
  return {
    description,
    headers: headersNamed(['X-Request-Id', ...headers, ...ofChanges]),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

/** The content types whose bodies parse back to the same data; the document describes bodies of other types as text. */
const structuredMime = /\b(?:json|yaml|xml)\b/;

/** Describes the content of a response: a sample in every format. */
export function contentsOf(sample: Sample, formats: readonly Format[], kind: 'value' | 'problem'): object {
  const mimes = formats.map((format) => (kind === 'problem' ? (format.problemMime ?? format.mime) : format.mime));
  return Object.fromEntries(mimes.map((mime) => [withoutCharset(mime), contentOf(withoutCharset(mime), sample)]));
}

function contentOf(mime: string, { schema, example }: Sample): { schema: JsonSchema; example: unknown } {
  if (structuredMime.test(mime)) return { schema, example };
  return { schema: { type: 'string' }, example: `The same data as ${mime}.` };
}

/** Removes the charset from a content type. */
function withoutCharset(mime: string): string {
  return (mime.split(';')[0] as string).trim();
}

const globalAdmin = 'the role admin';

/** Describes the permission that a route needs, in sentences. */
function permissionSentence({ authentication, shape: { right } }: Route, resources: readonly AnyResource[]): string {
  if (authentication === 'none') return 'Needs no authentication.';
  if (!right) return 'Every user may call it.';
  if (right === 'admin') return `Needs ${globalAdmin}.`;
  const resource = resources.find(({ name }) => name === right.resource);
  if (!resource) throw new Error(`A route needs a permission on ${right.resource}, which is not a resource.`);
  const rolesByVerb = right.verbs.map((verb) => [verb, minimumRole(resource, verb)] as const);
  const [[firstVerb, firstRole] = ['', '']] = rolesByVerb;
  if (firstVerb === 'read')
    return [`Reading needs ${firstRole}.`, resource.permissions.own?.description].filter(Boolean).join(' ');
  if (rolesByVerb.every(([, role]) => role === firstRole)) return `Needs ${firstRole}.`;
  return rolesByVerb
    .map(
      ([verb, role]) =>
        `${verb === 'create' ? 'Creating' : verb === 'update' ? 'Updating' : 'Deleting'} needs ${role}.`,
    )
    .join(' ');
}

function minimumRole(resource: AnyResource, verb: Verb): string {
  const [row] = permissionRows([resource]);
  const role = row?.[verb] ?? '';
  if (role === 'everybody') return 'a user who is signed in';
  if (role === 'admin everywhere') return globalAdmin;
  const orHigher = role === 'admin' ? '' : ' or a higher one';
  if (resource.permissions.decidedBy === 'role') return `the role ${role}${orHigher}`;
  return `the membership role ${role}${orHigher} in the company, or ${globalAdmin}`;
}
