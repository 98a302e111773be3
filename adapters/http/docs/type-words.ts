import type { DescribedSchema } from './described.ts';

const plain: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};

/** What a value may be, in words: `text, up to 255 characters, or null`. */
export function typeWords(schema: DescribedSchema): string {
  const { type, enum: values, anyOf, const: only, format, items, $ref: ref } = schema as Schema;
  if (ref) return ref.split('/').at(-1) as string;
  if (only !== undefined) return String(only);
  if (values) return `one of ${values.map((value) => (value === null ? 'null' : value)).join(', ')}`;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (anyOf && types.length === 0) return anyOf.map(typeWords).join(' or ');
  if (anyOf?.every((each) => 'format' in each || 'const' in each)) return anyOf.map(timeOrWord).join(' or ');
  const words = types.map((each) =>
    each === 'string' && format ? formatWords(format) : each === 'array' ? listWords(items) : (plain[each] ?? each),
  );
  const limited = [words.filter((word) => word !== 'null').join(' or ') || 'anything', limitWords(schema as Schema)];
  return [limited.filter(Boolean).join(', '), ...(types.includes('null') ? ['or null'] : [])].join(' ');
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly DescribedSchema[];
  readonly const?: unknown;
  readonly format?: string;
  readonly items?: DescribedSchema;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

function timeOrWord(schema: DescribedSchema): string {
  return 'format' in schema ? formatWords(String(schema['format'])) : String(schema['const']);
}

function formatWords(format: string): string {
  return format === 'date-time' ? 'time' : format;
}

function listWords(items: DescribedSchema | undefined): string {
  return items ? `list of: ${typeWords(items)}` : 'list';
}

function limitWords({ minimum, maximum, maxLength }: Schema): string {
  const real = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const range = [
    real(minimum) ? `from ${minimum}` : '',
    real(maximum) && maximum !== 2 ** 31 - 1 ? `to ${maximum}` : '',
  ];
  return [range.filter(Boolean).join(' '), maxLength === undefined ? '' : `up to ${maxLength} characters`]
    .filter(Boolean)
    .join(', ');
}
