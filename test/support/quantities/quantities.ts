import type { JsonSchema, OpenApiDocument } from '@horarium/core';

/** One quantity that a caller chooses: the length of a text, the size of a number, the number of entries. */
export interface Quantity {
  /** The record, operation, executor, event source or action that it belongs to. */
  readonly of: string;
  /** `arguments`, and `arguments[]` for each entry, `environment.*` for each value of a map. */
  readonly name: string;
  /** Null where there is none, which no quantity may be. */
  readonly bound: string | null;
}

type Place = 'path' | 'query' | 'header';

interface Parameter {
  readonly name: string;
  readonly in: Place;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/** Lists the quantities in the bodies of requests: those of a record once, whichever operations take it. */
export function bodyQuantities(document: OpenApiDocument): Quantity[] {
  const schemas = document.components['schemas'] as Readonly<Record<string, JsonSchema>>;
  const found = operationsOf(document).flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema;
    if (schema === undefined) return [];
    return alternativesOf(schema).flatMap((each) => {
      const name = /^#\/components\/schemas\/(.+)$/.exec(String(each['$ref']))?.[1];
      if (name === undefined) return quantitiesIn(each, operationId, '');
      return quantitiesIn(schemas[name] as JsonSchema, name.replace(/Input$/, ''), '');
    });
  });
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Lists the quantities in the parameters of all operations, each once. The length of a text in the path, the query or a
 * header without a limit of its own is `limits` of its place, because the server reads no more.
 */
export function parameterQuantities(document: OpenApiDocument, limits: Readonly<Record<Place, string>>): Quantity[] {
  const found = operationsOf(document).flatMap(({ parameters = [] }) =>
    parameters.flatMap(({ name, in: place, schema }) =>
      quantitiesIn(schema, place, name).map((each) => {
        const isText = each.name === name && each.bound === null && typesOf(schema).includes('string');
        return isText ? { ...each, bound: limits[place] } : each;
      }),
    ),
  );
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** Lists the quantities in a value of that schema. Flags, times and choices are none; the service sets what is read-only. */
export function quantitiesIn(schema: JsonSchema, of: string, name: string): Quantity[] {
  if (schema['readOnly'] === true || 'enum' in schema || 'const' in schema) return [];
  if (isTime(schema)) return [];
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 1) return alternatives.flatMap((each) => quantitiesIn(each, of, name));
  const types = typesOf(schema);
  const whole = schema['x-max-json-length'];
  if (typeof whole === 'number') {
    const known = types.includes('array') ? [{ of, name, bound: count(schema['maxItems'], 'entries') }] : [];
    return [{ of, name, bound: `${digits(whole)} characters as JSON` }, ...known];
  }
  if (types.length === 0) return [{ of, name, bound: null }];
  return types.flatMap((type) => quantitiesOfType(type, schema, of, name));
}

function quantitiesOfType(type: string, schema: JsonSchema, of: string, name: string): Quantity[] {
  switch (type) {
    case 'string':
      return [{ of, name, bound: count(schema['maxLength'], 'characters') }];
    case 'integer':
      return [{ of, name, bound: range(schema) }];
    case 'array': {
      const list = { of, name, bound: count(schema['maxItems'], 'entries') };
      return [list, ...quantitiesIn((schema['items'] ?? {}) as JsonSchema, of, `${name}[]`)];
    }
    case 'object':
      return objectQuantities(schema, of, name);
    default:
      // Null and flags have no size, and a number with a fraction is of eight bytes.
      return [];
  }
}

function objectQuantities(schema: JsonSchema, of: string, name: string): Quantity[] {
  const path = (member: string) => (name === '' ? member : `${name}.${member}`);
  const known = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const members = known.flatMap(([member, each]) => quantitiesIn(each, of, path(member)));
  const { additionalProperties: others } = schema;
  if (others === false) return members;
  if (typeof others !== 'object' || others === null) return [{ of, name, bound: null }, ...members];
  const keys = (schema['propertyNames'] ?? {}) as JsonSchema;
  return [
    { of, name, bound: count(schema['maxProperties'], 'keys') },
    { of, name: `keys of ${name}`, bound: count(keys['maxLength'], 'characters') },
    ...quantitiesIn(others as JsonSchema, of, path('*')),
    ...members,
  ];
}

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap(
    ({ servers: _servers, ...operations }) => Object.values(operations) as Operation[],
  );
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, properties } = schema;
  // The alternatives of an object say which of its members must be there.
  return Array.isArray(anyOf) && properties === undefined ? anyOf : [schema];
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : [...new Set([type].flat() as string[])];
}

function isTime({ format }: JsonSchema): boolean {
  return format === 'date-time' || format === 'date' || format === 'uuid';
}

function count(limit: unknown, of: string): string | null {
  return typeof limit === 'number' ? `${digits(limit)} ${of}` : null;
}

function range({ minimum, maximum }: JsonSchema): string | null {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return null;
  return `${digits(minimum)} to ${digits(maximum)}`;
}

function digits(value: number): string {
  if (Math.abs(value) === Number.MAX_SAFE_INTEGER) return value < 0 ? '−2⁵³' : '2⁵³';
  return value.toLocaleString('en');
}
