import { expect } from 'chai';
import { parseDuration, writeSeconds } from '#core/time/duration';

describe('parseDuration', () => {
  for (const [text, milliseconds] of [
    ['500ms', 500],
    ['0s', 0],
    ['45s', 45_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
  ] as const)
    it(`reads ${text}`, () => {
      expect(parseDuration(text)).to.equal(milliseconds);
    });

  for (const text of [
    '',
    '15',
    '1.5',
    '015',
    'm',
    '-1s',
    '+1s',
    '1.5h',
    '1w',
    '1 h',
    ' 1h',
    '1h ',
    '01h',
    '1H',
    '1h30m',
    'never',
  ])
    it(`returns undefined for "${text}"`, () => {
      expect(parseDuration(text)).to.equal(undefined);
    });
});

describe('writeSeconds', () => {
  for (const [seconds, text] of [
    [0, '0s'],
    [90, '90s'],
    [300, '5m'],
    [5400, '90m'],
    [7200, '2h'],
    [172_800, '2d'],
  ] as const)
    it(`writes ${seconds} as ${text}, which is read as the same`, () => {
      expect(writeSeconds(seconds)).to.equal(text);
      expect(parseDuration(text)).to.equal(seconds * 1000);
    });
});
