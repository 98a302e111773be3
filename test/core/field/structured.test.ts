import { expect } from 'chai';
import { text } from '#core/field/fields';
import { anything, mapOf, scalar, sized } from '#core/field/structured';

describe('Structured data', () => {
  const any = { pattern: /^/, description: 'a key' };
  const map = mapOf(text(10), any);

  const errorOf = (schema: { validateSync(value: unknown, options: object): unknown }, value: unknown) => {
    try {
      schema.validateSync(value, { strict: true, path: 'field' } as object);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };

  for (const [what, schema, fitting, excessive, message] of [
    ['a text', scalar, 'x'.repeat(65_536), 'x'.repeat(65_537), 'field may have at most 65536 characters'],
    [
      'a key',
      map,
      { ['k'.repeat(255)]: 'x' },
      { ['k'.repeat(256)]: 'x' },
      `field.${'k'.repeat(255)}… may have at most 255 characters`,
    ],
    [
      'any object as JSON',
      anything,
      { a: ['x'.repeat(262_144 - '{"a":[""]}'.length)] },
      { a: ['x'.repeat(262_145 - '{"a":[""]}'.length)] },
      'field may have at most 262144 characters as JSON',
    ],
    ['sized data', sized(mapOf(scalar, any), 7), { a: 1 }, { a: 10 }, 'field may have at most 7 characters as JSON'],
  ] as const)
    it(`bounds the length of ${what}`, () => {
      expect(errorOf(schema, fitting)).to.equal(null);
      expect(errorOf(schema, excessive)).to.equal(message);
    });
});
