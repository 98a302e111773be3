import type { JsonSchema, Sample } from '@horarium/core';

/** What each entry of a list has, as its sample says: the columns of one that is empty. */
export function columnsOf(sample: Sample | undefined): string[] {
  const { properties = {} } = (sample?.schema['items'] ?? {}) as { properties?: object };
  return Object.keys(properties);
}

/** A schema that is written once, under a name of its own. */
export function schemaNamed(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object that has all of these members, and no others. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
