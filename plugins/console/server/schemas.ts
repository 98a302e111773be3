import type { JsonSchema } from '@horarium/core/plugin';

export const text: JsonSchema = { type: 'string' };
export const optionalText: JsonSchema = { type: ['string', 'null'] };

/** Describes a list. */
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** Describes an object that has these members, and may have others. */
export const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
