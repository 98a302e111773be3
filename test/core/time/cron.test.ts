import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Cadence, checkCadence } from '#core/time/cadence';
import { Cron } from '#core/time/cron';
import { windowAtOrAfter, windowContaining } from '#core/time/windows';

const custom = (cron: string, timezone: string): Cadence => ({ interval: 'custom', cron, timezone });

describe('A cron pattern', () => {
  for (const pattern of [
    '* * * * *',
    '*/5 0 * * MON-FRI',
    '30 0 0 29 2 *',
    '@daily',
    ' @Hourly ',
    '0 0 L * *',
    '0 0 * * FRI#2',
  ])
    it(`is valid as "${pattern}"`, () => {
      expect(checkCadence(custom(pattern, 'Europe/Prague'))).to.deep.equal([]);
    });

  const invalid = [
    '',
    '* * * *',
    '* * * * * * *',
    '60 * * * *',
    '@reboot',
    '@fortnightly',
    '2027-01-01T00:00:00',
    'a b c d e',
    '*/0 * * * *',
  ];
  for (const pattern of invalid)
    it(`is rejected as "${pattern}", with a message that quotes it`, () => {
      const [error, ...more] = checkCadence(custom(pattern, 'UTC'));
      expect(more).to.deep.equal([]);
      expect(error?.field).to.equal('cron');
      expect(error?.message).to.contain(`"${pattern}" is not a cron pattern: `).and.not.contain('CronPattern');
      expect(() => windowAtOrAfter(custom(pattern, 'UTC'), 0)).to.throw(HorariumError);
    });

  for (const [pattern, reason] of [
    [
      '61 * * * *',
      'the minute cannot be “61”. It takes 0 to 59, alone or in a list (1,3), a range (1-5) or a step (*/2).',
    ],
    [
      '0 0 * * FRY',
      'the day of the week cannot be “FRY”. It takes 0 to 7 (0 and 7 are Sunday) or SUN to SAT, alone or in',
    ],
    ['0 5-1 * * * *', 'the minute cannot be “5-1”'],
    [
      '0 3 * *',
      'it has 4 fields; a pattern has five (minute, hour, day of the month, month, day of the week), or six with the second first.',
    ],
    ['dayly', 'The intervals are minutely, hourly, daily, weekly, monthly, yearly. Did you mean daily?'],
    [
      '@dayly',
      'the nicknames are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly. Did you mean @daily?',
    ],
  ] as const)
    it(`names the field that is wrong in "${pattern}", and what it takes`, () => {
      expect(checkCadence(custom(pattern, 'UTC'))[0]?.message).to.contain(reason);
    });

  for (const pattern of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 0 31 4 *'])
    it(`is rejected as "${pattern}", because it never fires`, () => {
      expect(checkCadence(custom(pattern, 'UTC'))).to.deep.equal([
        { field: 'cron', message: `"${pattern}" never fires: no date matches it.` },
      ]);
      expect(windowAtOrAfter(custom(pattern, 'Europe/Prague'), 0)).to.equal(null);
      expect(windowContaining(custom(pattern, 'Europe/Prague'), 0)).to.equal(null);
    });

  it('is required with the interval custom, and ignored with others', () => {
    expect(checkCadence({ interval: 'custom', cron: null, timezone: 'UTC' })).to.deep.equal([
      { field: 'cron', message: 'The interval custom needs a cron pattern.' },
    ]);
    expect(checkCadence({ interval: 'daily', cron: 'nonsense', timezone: 'UTC' })).to.deep.equal([]);
  });

  it('is rejected together with an unknown zone, with an error for each', () => {
    expect(checkCadence(custom('nonsense', 'Nowhere')).map(({ field }) => field)).to.deep.equal(['timezone', 'cron']);
  });

  it('has the same next match whichever it was asked for before', () => {
    const minute = 60_000;
    const walks = fc.array(fc.integer({ min: -40 * 24 * 60, max: 40 * 24 * 60 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom('*/20 3 * * *', '0 12 1 * *', '30 0 * * MON', '0 0 29 2 *'), walks, (text, steps) => {
        const cron = new Cron(text);
        for (const step of steps) {
          const wall = Date.UTC(2027, 1, 27) + step * minute;
          expect(cron.matchAtOrAfter(wall)).to.equal(new Cron(text).matchAtOrAfter(wall));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has the same last match as next one at an instant that matches', () => {
    const cron = new Cron('15 10 * * *');
    expect(cron.matchAtOrAfter(Date.UTC(2027, 0, 1, 10, 15))).to.equal(Date.UTC(2027, 0, 1, 10, 15));
    expect(cron.matchAtOrAfter(Date.UTC(2027, 0, 1, 10, 15) + 1)).to.equal(Date.UTC(2027, 0, 2, 10, 15));
    expect(cron.matchAtOrBefore(Date.UTC(2027, 0, 1, 10, 15))).to.equal(Date.UTC(2027, 0, 1, 10, 15));
    expect(cron.matchAtOrBefore(Date.UTC(2027, 0, 1, 10, 15) - 1)).to.equal(Date.UTC(2026, 11, 31, 10, 15));
  });
});
