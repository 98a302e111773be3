import { expect } from 'chai';
import fc from 'fast-check';
import { parseTime } from '../../../adapters/mikro-orm/dialects/postgresql/parse-time.ts';

describe('A time as PostgreSQL writes it', () => {
  it('is the instant that was stored, without the zeros at the end of its fraction', () => {
    const instants = fc.date({ min: new Date(0), max: new Date(Date.UTC(2999, 11, 31)), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (instant) => {
        const text = instant
          .toISOString()
          .replace('T', ' ')
          .replace(/\.?0*Z$/, '+00');
        expect(parseTime(text)).to.equal(+instant);
      }),
    );
  });

  for (const [text, instant] of [
    ['2026-11-21 05:00:00+00', '2026-11-21T05:00:00Z'],
    ['2026-11-21 05:00:00.1+00', '2026-11-21T05:00:00.100Z'],
    ['2026-11-21 05:00:00.012+00', '2026-11-21T05:00:00.012Z'],
    ['2026-11-21 05:00:00.123456+00', '2026-11-21T05:00:00.123Z'],
    ['2026-11-21 05:00:00+02', '2026-11-21T03:00:00Z'],
    ['2026-11-21 05:00:00.5-03:30', '2026-11-21T08:30:00.500Z'],
    ['9999-12-31 23:59:59+00', '9999-12-31T23:59:59Z'],
    ['0999-12-31 23:59:59+00', '0999-12-31T23:59:59Z'],
  ] as const)
    it(`is read from "${text}"`, () => {
      expect(parseTime(text)).to.equal(Date.parse(instant));
    });
});
