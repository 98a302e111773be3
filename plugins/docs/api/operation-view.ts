import type { JsonSchema, OpenApiDocument } from '@horarium/core/plugin';
import { curl } from './curl.ts';
import { describeType } from './describe-type.ts';
import { type ApiOperation, type ApiResponse, type Parameter, resolve } from './operations.ts';
import { readableJson } from './readable-json.ts';

/** An operation as the templates show it. */
export function operationView(document: Pick<OpenApiDocument, 'components'>, operation: ApiOperation) {
  const { method, path, summary, operationId: id, parameters = [], requestBody, responses } = operation;
  const [body] = Object.values(requestBody?.content ?? {});
  const results = Object.entries(responses);
  return {
    id,
    method,
    path,
    shortPath: path.replace('.{suffix}', '').replaceAll(/\{\w+\}/g, '{id}'),
    summary,
    description: [operation.description, authenticationOf(operation)].filter(Boolean).join(' '),
    command: commandOf(operation, body?.example),
    parameters: parameters.map(parameterView),
    body: body && bodyView(document, body.schema),
    responses: results.filter(isOwn).map(responseView),
    errors: results.filter((result) => !isOwn(result)).map(([status]) => status),
  };
}

function authenticationOf({ security }: ApiOperation): string {
  if (security === undefined) return 'With a bearer token or HTTP Basic.';
  return security.length > 0 ? 'With HTTP Basic.' : '';
}

function commandOf({ method, path, parameters = [], security, atRoot }: ApiOperation, body: unknown): string {
  const value = (name: string) => parameters.find((each) => each.in === 'path' && each.name === name)?.example;
  return curl({
    method,
    path: path.replace(/\{(\w+)\}/g, (_all, name: string) => String(value(name))),
    signIn: security === undefined ? 'token' : security.length > 0 ? 'basic' : 'none',
    base: atRoot ? '${HORARIUM%/api/v1}' : '$HORARIUM',
    ...(body === undefined ? {} : { body }),
  });
}

const positions = { path: 'in the path', query: 'after the ?', header: 'as a header' } as const;

function parameterView({ name, in: position, description, schema }: Parameter) {
  return { name, note: positions[position], description, type: typeOf(schema) };
}

/** The fields of a body that callers may set. */
function bodyView(document: Pick<OpenApiDocument, 'components'>, schema: JsonSchema) {
  const {
    properties = {},
    description,
    required = [],
  } = resolve(document, schema) as {
    properties?: Readonly<Record<string, JsonSchema>>;
    description?: string;
    required?: readonly string[];
  };
  const fields = Object.entries(properties)
    .filter(([, field]) => field['readOnly'] !== true)
    .map(([name, field]) => ({
      name,
      note: required.includes(name) ? 'required' : '',
      description: field['description'] ?? '',
      type: typeOf(field),
    }));
  return { description, fields };
}

function typeOf(schema: JsonSchema): string {
  const { default: defaultValue } = schema;
  if (defaultValue === undefined) return describeType(schema);
  return `${describeType(schema)}; ${typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)} when left out`;
}

/** Whether a response is described with the operation: errors are references to descriptions that all share. */
function isOwn(result: [string, ApiResponse | { readonly $ref: string }]): result is [string, ApiResponse] {
  return !('$ref' in result[1]);
}

function responseView([status, { description, headers = {}, content = {} }]: [string, ApiResponse]) {
  const samples = Object.entries(content)
    .filter(([mime], index) => index === 0 || mime.startsWith('text/event'))
    .map(([mime, { example }]) => ({ mime, text: typeof example === 'string' ? example : readableJson(example) }));
  const named = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  return { status, description, headers: named.join(', '), samples };
}
