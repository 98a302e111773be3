import { expect } from 'chai';
import type { Cadence } from '#core/time/cadence';
import { deadlineAt, parseDeadline } from '#core/time/deadline';
import { windowAtOrAfter } from '#core/time/windows';

describe('A deadline', () => {
  it('is read as elapsed time, calendar days or a time of day', () => {
    expect(parseDeadline('+45s')).to.deep.equal({ kind: 'elapsed', after: 45_000 });
    expect(parseDeadline('+90m')).to.deep.equal({ kind: 'elapsed', after: 5_400_000 });
    expect(parseDeadline('+3h')).to.deep.equal({ kind: 'elapsed', after: 10_800_000 });
    expect(parseDeadline('+1d')).to.deep.equal({ kind: 'days', days: 1 });
    expect(parseDeadline('08:00')).to.deep.equal({ kind: 'local', timeOfDay: 28_800_000 });
    expect(parseDeadline('23:59')).to.deep.equal({ kind: 'local', timeOfDay: 86_340_000 });
  });

  for (const invalid of [
    '',
    '3h',
    '+3',
    '+h',
    '+1w',
    '+1.5h',
    '-1h',
    '+ 3h',
    '8:00',
    '24:00',
    '08:60',
    '08:00:00',
    '+9999999999s',
    ' +3h',
  ])
    it(`is rejected as "${invalid}", with an example of a valid one`, () => {
      expect(() => parseDeadline(invalid)).to.throw('must be a time such as 08:00, or counted');
    });

  const cadence = (interval: Cadence['interval'], timezone: string, cron: string | null = null) => ({
    interval,
    timezone,
    cron,
  });
  const prague = cadence('daily', 'Europe/Prague');
  /** Each row: the cadence, an instant whose next window counts, the deadline, the seconds until due, and the result. */
  const table: [Cadence, string, string | null, number, string][] = [
    [prague, '2027-06-01T00:00Z', null, 0, '2027-06-02T22:00'],
    [prague, '2027-06-01T00:00Z', '+45s', 0, '2027-06-01T22:00:45'],
    [prague, '2027-06-01T00:00Z', '+90m', 0, '2027-06-01T23:30'],
    [prague, '2027-06-01T00:00Z', '+1d', 0, '2027-06-02T22:00'],
    [prague, '2027-06-01T00:00Z', '08:00', 0, '2027-06-02T06:00'],
    // On the day of 23 hours: elapsed time elapses, local times are those of the wall.
    [prague, '2027-03-27T22:00Z', '+3h', 0, '2027-03-28T02:00'],
    [prague, '2027-03-27T22:00Z', '08:00', 0, '2027-03-28T06:00'],
    [prague, '2027-03-27T22:00Z', '+1d', 0, '2027-03-28T22:00'],
    [prague, '2027-03-27T22:00Z', '02:30', 0, '2027-03-28T01:30'],
    [prague, '2027-03-27T22:00Z', '+24h', 0, '2027-03-28T22:00'],
    // On the day of 25 hours; of the repeated time the first counts.
    [prague, '2027-10-30T20:00Z', '+24h', 0, '2027-10-31T22:00'],
    [prague, '2027-10-30T20:00Z', '+1d', 0, '2027-10-31T23:00'],
    [prague, '2027-10-30T20:00Z', '02:30', 0, '2027-10-31T00:30'],
    // Where midnight does not exist the day begins at 01:00, and ends at midnight all the same.
    [cadence('daily', 'Africa/Cairo'), '2027-04-29T12:00Z', '+1d', 0, '2027-04-30T21:00'],
    [cadence('daily', 'Africa/Cairo'), '2027-04-29T12:00Z', '00:30', 0, '2027-04-29T22:30'],
    [cadence('weekly', 'Europe/Prague'), '2027-03-22T12:00Z', '+2d', 0, '2027-03-30T22:00'],
    [cadence('weekly', 'Europe/Prague'), '2027-03-16T12:00Z', '+7d', 0, '2027-03-28T22:00'],
    [cadence('monthly', 'Pacific/Apia'), '2011-11-02T12:00Z', '+29d', 0, '2011-12-30T10:00'],
    // A custom window takes what fits: the first such time after its start, or its end.
    [cadence('custom', 'Europe/Prague', '0 22 * * *'), '2027-06-01T00:00Z', '08:00', 0, '2027-06-02T06:00'],
    [cadence('custom', 'Europe/Prague', '0 6,18 * * *'), '2027-06-01T00:00Z', '+1d', 0, '2027-06-01T16:00'],
    [cadence('custom', 'Europe/Prague', '*/15 * * * *'), '2027-06-01T00:00Z', '+1h', 0, '2027-06-01T00:15'],
    [cadence('custom', 'Europe/Prague', '*/15 * * * *'), '2027-06-01T00:00Z', '+999999999d', 0, '2027-06-01T00:15'],
    [cadence('custom', 'Europe/Prague', '0 * * * *'), '2027-10-31T01:00Z', '02:30', 0, '2027-10-31T01:30'],
    // A deadline that would not lie after the due time leaves the whole window.
    [cadence('custom', 'Europe/Prague', '0 6 * * *'), '2027-06-01T00:00Z', '08:00', 3 * 3600, '2027-06-02T04:00'],
    [prague, '2027-03-27T22:00Z', '03:00', 2 * 3600, '2027-03-28T22:00'],
    [prague, '2027-03-26T22:00Z', '03:00', 2 * 3600, '2027-03-27T02:00'],
  ];
  for (const [cadenceOf, from, deadline, due, expected] of table)
    it(`of ${deadline} in the ${cadenceOf.cron ?? cadenceOf.interval} window in ${cadenceOf.timezone} after ${from} is at ${expected}`, () => {
      const window = windowAtOrAfter(cadenceOf, Date.parse(from.replace('Z', ':00Z')));
      if (!window) return expect.fail('no window');
      const at = deadlineAt({ deadline, timezone: cadenceOf.timezone }, window, window.start + due * 1000);
      expect(new Date(at).toISOString()).to.equal(new Date(`${expected}Z`).toISOString());
    });
});
