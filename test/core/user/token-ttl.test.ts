import { expect } from 'chai';
import { parseTtl } from '#core/user/tokens';

describe('parseTtl', () => {
  for (const [text, milliseconds] of [
    ['45s', 45_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
    ['1s', 1000],
    ['never', null],
  ] as const)
    it(`reads ${text}`, () => {
      expect(parseTtl(text)).to.equal(milliseconds);
    });

  for (const text of [
    '',
    '0s',
    '-1s',
    '1.5h',
    '15',
    'm',
    '1w',
    '1 h',
    ' 1h',
    '1h ',
    '01h',
    '1H',
    'Never',
    '99999999999d',
    '0ms',
    '36526d',
  ])
    it(`rejects "${text}" with a message that quotes it`, () => {
      expect(() => parseTtl(text))
        .to.throw(`"${text}"`)
        .with.property('code', 'invalid');
    });
});
