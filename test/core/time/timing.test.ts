import { expect } from 'chai';
import fc from 'fast-check';
import { deadlineAt } from '#core/time/deadline';
import { dueAt } from '#core/time/due';
import type { IntervalName } from '#core/time/interval';
import { checkTiming, type Timing } from '#core/time/timing';
import { windows } from '#core/time/windows';
import { everyZone } from '../../support/clocks/intl-wall-clock.ts';

const timing = (interval: IntervalName, fields: Partial<Timing> = {}): Timing => ({
  interval,
  timezone: 'Europe/Prague',
  cron: interval === 'custom' ? '*/15 * * * *' : null,
  delay: 0,
  jitter: 0,
  deadline: null,
  ...fields,
});

describe('The timing of a template', () => {
  const valid: [IntervalName, Partial<Timing>][] = [
    ['none', { deadline: '+3h', delay: 10_000 }],
    ['minutely', { delay: 30, jitter: 29, deadline: '+60s' }],
    ['minutely', { deadline: '+1m' }],
    ['hourly', { delay: 3599 }],
    ['hourly', { deadline: '+1h' }],
    ['daily', { deadline: '+23h' }],
    ['daily', { deadline: '+24h', timezone: 'UTC' }],
    ['daily', { deadline: '+24h', timezone: 'Asia/Tokyo' }],
    ['daily', { deadline: '+1d' }],
    ['daily', { deadline: '08:00', delay: 7 * 3600 }],
    ['daily', { deadline: '23:59', delay: 23 * 3600 - 1 }],
    ['weekly', { deadline: '+7d' }],
    ['weekly', { deadline: '08:00' }],
    ['weekly', { deadline: '+1d', delay: 23 * 3600, timezone: 'UTC' }],
    ['monthly', { deadline: '+28d' }],
    ['yearly', { deadline: '+365d' }],
    ['custom', { deadline: '+1d' }],
    ['custom', { deadline: '08:00', delay: 3600 }],
  ];
  for (const [interval, fields] of valid)
    it(`is valid with ${interval} and ${JSON.stringify(fields)}`, () => {
      expect(checkTiming(timing(interval, fields))).to.deep.equal([]);
    });

  const invalid: [IntervalName, Partial<Timing>, string, string][] = [
    ['minutely', { delay: 60 }, 'delay', 'delay must be less than a minute'],
    ['minutely', { delay: 30, jitter: 30 }, 'jitter', 'delay plus jitter must be less than a minute'],
    ['hourly', { jitter: 3600 }, 'jitter', 'delay plus jitter must be less than an hour'],
    ['hourly', { deadline: '+61m' }, 'deadline', '+61m may lie after the end of an hour'],
    ['hourly', { deadline: '+1d' }, 'deadline', '+1d may lie after the end of an hour'],
    ['hourly', { deadline: '08:00' }, 'deadline', '08:00 may lie after the end of an hour'],
    ['hourly', { deadline: '+0s' }, 'deadline', '+0s is not after the due time'],
    ['hourly', { deadline: '+10m', delay: 600 }, 'deadline', '+10m is not after the due time, which is 600 seconds'],
    ['hourly', { deadline: '+10m', delay: 300, jitter: 300 }, 'deadline', '+10m is not after the due time'],
    ['daily', { delay: 23 * 3600 }, 'delay', 'the shortest daily window in Europe/Prague (23 hours)'],
    ['daily', { delay: 86_400, timezone: 'UTC' }, 'delay', 'the shortest daily window in UTC (24 hours)'],
    ['daily', { deadline: '+24h' }, 'deadline', 'the shortest daily window in Europe/Prague (23 hours)'],
    ['daily', { deadline: '+2d' }, 'deadline', '+2d may lie after the end'],
    ['daily', { deadline: '00:00' }, 'deadline', '00:00 is not after the due time'],
    ['daily', { deadline: '08:00', delay: 8 * 3600 }, 'deadline', '08:00 is not after the due time'],
    ['weekly', { deadline: '+8d' }, 'deadline', '+8d may lie after the end'],
    ['weekly', { deadline: '+1d', delay: 23 * 3600 }, 'deadline', '+1d is not after the due time'],
    ['monthly', { deadline: '+29d' }, 'deadline', '+29d may lie after the end'],
    ['yearly', { deadline: '+366d' }, 'deadline', '+366d may lie after the end'],
    ['custom', { deadline: '+10m', delay: 600 }, 'deadline', '+10m is not after the due time'],
    ['daily', { deadline: 'noon' }, 'deadline', 'must be a time such as 08:00'],
    ['daily', { timezone: 'Mars/Phobos' }, 'timezone', 'There is no time zone "Mars/Phobos"'],
    ['custom', { cron: null }, 'cron', 'The interval custom needs a cron pattern.'],
    ['custom', { cron: '0 0 30 2 *' }, 'cron', '"0 0 30 2 *" never fires'],
  ];
  for (const [interval, fields, field, message] of invalid)
    it(`is rejected with ${interval} and ${JSON.stringify(fields)}, because of ${field}`, () => {
      const errors = checkTiming(timing(interval, fields));
      expect(errors.map((error) => error.field)).to.deep.equal([field]);
      expect(errors[0]?.message).to.contain(message);
    });

  it('is rejected with every invalid field at once', () => {
    const errors = checkTiming(timing('custom', { cron: 'x', timezone: 'y', deadline: 'z' }));
    expect(errors.map(({ field }) => field)).to.have.members(['cron', 'timezone', 'deadline']);
  });

  it('gives every window a due time inside it and a deadline not after its end', () => {
    const anyTiming = fc.record({
      interval: fc.constantFrom<IntervalName>('minutely', 'hourly', 'daily', 'weekly', 'monthly', 'custom'),
      timezone: fc.constantFrom(...everyZone),
      cron: fc.constantFrom('*/7 * * * *', '30 2 * * *', '* * * * * *'),
      delay: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 })),
      jitter: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 })),
      deadline: fc.constantFrom(null, '+1s', '+45s', '+30m', '+1h', '+3h', '+1d', '00:30', '03:00', '23:30'),
    });
    const instant = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2037, 0, 1) });
    let accepted = 0;
    fc.assert(
      fc.property(anyTiming, instant, fc.nat(), (given, at, template) => {
        if (checkTiming(given).length > 0) return;
        accepted++;
        let remaining = 20;
        for (const window of windows(given, at)) {
          if (remaining-- === 0) break;
          const due = dueAt(given, window, template);
          const deadline = deadlineAt(given, window, due);
          expect(due).to.be.within(window.start, window.end - 1);
          expect(deadline).to.be.above(due).and.at.most(window.end);
        }
      }),
      { numRuns: 2000 },
    );
    expect(accepted).to.be.above(300);
  });
});
