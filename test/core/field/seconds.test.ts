import { seconds } from '@horarium/core';
import { expect } from 'chai';
import type { FieldError } from '#core/errors';
import { readField } from '#core/records/input';

describe('A field of seconds', () => {
  const read = (input: unknown) => {
    const errors: FieldError[] = [];
    const value = readField('timeout', seconds(0).min(1), input, errors);
    return errors.length > 0 ? errors.map(({ message }) => message).join() : value;
  };
  const shape = 'timeout must be a number of seconds, or a duration such as 30s, 5m or 2h';

  for (const [input, expected] of [
    [90, 90],
    ['90', 90],
    ['45s', 45],
    ['5m', 300],
    ['2h', 7200],
    ['1d', 86_400],
    ['2000ms', 2],
    ['1500ms', shape],
    ['30 s', shape],
    ['', shape],
    ['0s', 'timeout must be greater than or equal to 1'],
    [1.5, 'timeout must be an integer'],
    [true, 'timeout must be a number'],
  ] as const)
    it(`reads ${JSON.stringify(input)} as ${JSON.stringify(expected)}`, () => {
      expect(read(input)).to.equal(expected);
    });
});
