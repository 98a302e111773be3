import type { JsonSchema } from '@horarium/core/plugin';

const names: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};

/** Describes the type of a JSON schema in a phrase: `text, up to 255 characters, or null`. */
export function describeType(schema: JsonSchema): string {
  const { type, enum: values, anyOf, const: only, format, items, $ref: ref } = schema as TypedSchema;
  if (ref) return ref.split('/').at(-1) as string;
  if (only !== undefined) return String(only);
  if (values) return `one of ${values.map((value) => (value === null ? 'null' : value)).join(', ')}`;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (anyOf && types.length === 0) return anyOf.map(describeType).join(' or ');
  if (anyOf?.every((each) => 'format' in each || 'const' in each)) return anyOf.map(timeOrConstant).join(' or ');
  const described = types.map((each) =>
    each === 'string' && format ? formatName(format) : each === 'array' ? listName(items) : (names[each] ?? each),
  );
  const alternatives = described.filter((name) => name !== 'null').join(' or ') || 'anything';
  const limited = [alternatives, limitsOf(schema as TypedSchema)].filter(Boolean).join(', ');
  return types.includes('null') ? `${limited} or null` : limited;
}

interface TypedSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly format?: string;
  readonly items?: JsonSchema;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

function timeOrConstant(schema: JsonSchema): string {
  return 'format' in schema ? formatName(String(schema['format'])) : String(schema['const']);
}

function formatName(format: string): string {
  return format === 'date-time' ? 'time' : format;
}

function listName(items: JsonSchema | undefined): string {
  return items ? `list of: ${describeType(items)}` : 'list';
}

function limitsOf({ minimum, maximum, maxLength }: TypedSchema): string {
  const isReal = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const range = [
    isReal(minimum) ? `from ${minimum}` : '',
    isReal(maximum) && maximum !== 2 ** 31 - 1 ? `to ${maximum}` : '',
  ];
  return [range.filter(Boolean).join(' '), maxLength === undefined ? '' : `up to ${maxLength} characters`]
    .filter(Boolean)
    .join(', ');
}
