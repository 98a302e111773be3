import { formatInstant, isInstant } from '../time/instant.ts';
import type { JsonSchema } from './field-meta.ts';
import { isPlainObject } from './value-path.ts';

/** Whether a JSON Schema has times in it. */
export function holdsTimes(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && JSON.stringify(schema).includes('"format":"date-time"');
}

/** Writes structured data with RFC 3339 in place of each instant that its JSON Schema describes as a time. */
export function writeTimes(schema: JsonSchema, value: unknown): unknown {
  if (schema['format'] === 'date-time') return isInstant(value) ? formatInstant(value) : value;
  const { items, properties = {} } = schema as {
    items?: JsonSchema;
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (Array.isArray(value)) return items ? value.map((item) => writeTimes(items, item)) : value;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, writeTimes(properties[name] ?? {}, item)]),
  );
}
