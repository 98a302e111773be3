import { readLocalTime } from '@horarium/core';
import { expect } from 'chai';

describe('readLocalTime', () => {
  const now = Date.UTC(2026, 10, 27, 12, 30);
  const read = (text: string) => new Date(readLocalTime('--until', text, 'Europe/Prague', now)).toISOString();

  const table: readonly (readonly [text: string, expected: string])[] = [
    ['14:00', '2026-11-27T13:00:00.000Z'],
    ['13:30', '2026-11-28T12:30:00.000Z'],
    ['00:00', '2026-11-27T23:00:00.000Z'],
    ['2026-12-24', '2026-12-23T23:00:00.000Z'],
    ['2026-12-24 18:00', '2026-12-24T17:00:00.000Z'],
    ['2027-07-01T08:15', '2027-07-01T06:15:00.000Z'],
    ['2026-11-27T20:00:00+05:00', '2026-11-27T15:00:00.000Z'],
  ];
  for (const [text, expected] of table)
    it(`reads ${text}`, () => {
      expect(read(text)).to.equal(expected);
    });

  for (const [text, message] of [
    ['soon', '--until must be a time such as 14:00, 2026-11-27 14:00 or 2026-11-27T14:00:00Z, not soon.'],
    ['', '--until must be a time such as 14:00, 2026-11-27 14:00 or 2026-11-27T14:00:00Z, not .'],
    ['25:00', '--until 25:00 does not exist in Europe/Prague.'],
    ['2026-02-30', '--until 2026-02-30 does not exist in Europe/Prague.'],
    ['2027-03-28 02:30', '--until 2027-03-28 02:30 does not exist in Europe/Prague.'],
  ] as const)
    it(`refuses ${text || 'nothing'}`, () => {
      expect(() => read(text)).to.throw(message);
    });
});
