import { type FieldRow, type JsonSchema, nullable } from '@horarium/core';

/** A field as answers show it. What is stored may be older than the limits of input, so they are left out. */
export function shownSchema(column: FieldRow): JsonSchema {
  if (column.secret) return annotated({ type: ['string', 'null'] }, column);
  const schema = withoutLimits(ofKind(column)) as JsonSchema;
  return annotated(column.nullable ? nullable(schema) : schema, column);
}

/** A field as callers give it. Null clears it, or brings back its default. */
export function inputSchema(column: FieldRow): JsonSchema {
  const read = column.parsed ? textToo(ofKind(column)) : ofKind(column);
  const schema = column.required ? read : nullable(read);
  const initial = column.default === null || column.secret || column.varies ? {} : { default: column.default };
  return { ...annotated(schema, column), ...initial, ...(column.secret ? { writeOnly: true } : {}) };
}

function ofKind(column: FieldRow): JsonSchema {
  const { kind, min, max, pattern, values, shape } = column;
  switch (kind) {
    case 'text':
      return given({ type: 'string', minLength: min, maxLength: max, pattern });
    case 'choice':
      return { type: 'string', enum: values };
    case 'integer':
    case 'number':
    case 'reference':
      return given({ type: kind === 'number' ? 'number' : 'integer', minimum: min, maximum: max });
    case 'flag':
      return { type: 'boolean' };
    case 'instant':
      return { type: 'string', format: 'date-time' };
    default:
      return shape ?? {};
  }
}

function textToo(schema: JsonSchema): JsonSchema {
  return 'enum' in schema ? { anyOf: [schema, { type: 'string' }] } : { ...schema, type: [schema['type'], 'string'] };
}

function given(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function annotated(schema: JsonSchema, { description, references, kind, secret }: FieldRow): JsonSchema {
  const points = references ? `${kind === 'references' ? 'Ids' : 'Id'} of a ${references}.` : undefined;
  const words = [points, description, secret === 'encrypted' ? 'Shown as ••••••••.' : undefined]
    .filter(Boolean)
    .join(' ');
  return words === '' ? schema : { ...schema, description: words };
}

const limits = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'propertyNames',
]);

/** Goes through schemas only: under `properties` the same words are names of fields. */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word]) => !limits.has(word));
  return Object.fromEntries(
    kept.map(([word, value]) => {
      if (word !== 'properties') return [word, word === 'enum' ? value : withoutLimits(value)];
      const fields = Object.entries(value as object).map(([name, field]) => [name, withoutLimits(field)]);
      return [word, Object.fromEntries(fields)];
    }),
  );
}
