import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import { daysOffOf } from '#core/calendar/calendars';
import { DaysOff, type DaysOffDefinition, formatDay, parseDay } from '#core/calendar/days-off';

const empty: DaysOffDefinition = { name: 'shop', weekdays: [], dates: [], working_dates: [], rules: [] };

const day = (date: string) => parseDay(date) as number;
const calendar = (given: Partial<DaysOffDefinition>, rules = new Map()) => new DaysOff({ ...empty, ...given }, rules);

describe('The days off of a calendar', () => {
  it('are the weekdays that it names', () => {
    const daysOff = calendar({ weekdays: ['saturday', 'sunday'] });
    // A week from Monday on.
    const week = Array.from({ length: 7 }, (_, index) => daysOff.reasonFor(day('2026-11-23') + index));
    expect(week).to.deep.equal([null, null, null, null, null, 'Saturday', 'Sunday']);
    expect(daysOff.reasonFor(day('1969-12-28'))).to.equal('Sunday');
  });

  it('are the dates that it names, from the first to the last', () => {
    const dates = [
      { date: '2026-12-24', to: '2026-12-26', name: 'closed' },
      { date: '2027-02-29' },
      { date: '2027-05-08' },
    ];
    const daysOff = calendar({ dates });
    const names = ['2026-12-23', '2026-12-24', '2026-12-26', '2026-12-27', '2027-03-01', '2027-05-08'];
    expect(names.map((date) => daysOff.reasonFor(day(date)))).to.deep.equal([
      null,
      'closed',
      'closed',
      null,
      null,
      'day off',
    ]);
  });

  it('are named by a date or a rule before the weekday', () => {
    const daysOff = calendar({ weekdays: ['saturday'], dates: [{ date: '2026-12-26', name: 'Boxing Day' }] });
    expect(daysOff.reasonFor(day('2026-12-26'))).to.equal('Boxing Day');
  });

  it('are not those on which work is done in spite of all else', () => {
    const daysOff = calendar({
      weekdays: ['saturday'],
      dates: [{ date: '2026-12-19', to: '2026-12-31' }],
      working_dates: [{ date: '2026-12-19' }],
    });
    expect(daysOff.reasonFor(day('2026-12-19'))).to.equal(null);
    expect(daysOff.reasonFor(day('2026-12-20'))).to.equal('day off');
  });

  it('are those of its rules, which are asked once for each year', () => {
    const asked: number[] = [];
    const rule = {
      name: 'ones',
      options: {},
      daysOff(_: unknown, year: number) {
        asked.push(year);
        return [{ date: `${year}-01-01`, name: 'first day' }];
      },
    };
    const daysOff = calendar({ rules: [{ rule: 'ones' }] }, new Map([['ones', rule]]));
    for (const date of ['2026-01-01', '2026-07-01', '2027-01-01', '2026-12-31']) daysOff.reasonFor(day(date));
    expect(asked).to.deep.equal([2026, 2027]);
    expect(daysOff.reasonFor(day('2027-01-01'))).to.equal('first day');
  });

  it('are unknown where a rule is missing, fails, or names no date', () => {
    const broken = (daysOff: () => unknown) => new Map([['r', { options: {}, daysOff }]]);
    const refusals: [ReadonlyMap<string, unknown>, string][] = [
      [new Map(), 'no loaded plugin provides the calendar rule r'],
      [
        broken(() => {
          throw new Error('the almanac is lost');
        }),
        'the almanac is lost',
      ],
      [broken(() => [{ date: '2026-13-01', name: '' }]), 'its rule r says "2026-13-01", which is no date'],
    ];
    for (const [rules, why] of refusals)
      expect(() => calendar({ rules: [{ rule: 'r' }] }, rules as never).reasonFor(day('2026-05-01')))
        .to.throw(HorariumError, `The days off of the calendar shop in 2026 are not known: ${why}.`)
        .with.property('code', 'unavailable');
  });

  it('lead to the working day before or after', () => {
    const daysOff = calendar({ weekdays: ['saturday', 'sunday'] });
    const saturday = day('2026-11-28');
    expect(formatDay(daysOff.workingDayFrom(saturday) ?? 0)).to.equal('2026-11-30');
    expect(formatDay(daysOff.workingDayUpTo(saturday + 1) ?? 0)).to.equal('2026-11-27');
    expect(daysOff.workingDayFrom(saturday - 1)).to.equal(saturday - 1);
  });

  it('lead nowhere where all days are off', () => {
    const daysOff = calendar({ dates: [{ date: '1900-01-01', to: '2200-01-01' }] });
    expect(daysOff.workingDayFrom(day('2026-11-28'))).to.equal(null);
    expect(daysOff.workingDayUpTo(day('2026-11-28'))).to.equal(null);
  });

  it('are the same object for the same definition, so that the years of a calendar are computed once', () => {
    const rules = new Map();
    const given = { ...empty, weekdays: ['sunday'] };
    expect(daysOffOf(given, rules)).to.equal(daysOffOf({ ...given }, rules));
    expect(daysOffOf(given, rules)).not.to.equal(daysOffOf({ ...given, weekdays: ['monday'] }, rules));
    expect(daysOffOf(given, rules)).not.to.equal(daysOffOf(given, new Map()));
  });

  it('have dates that exist', () => {
    for (const text of ['2026-02-29', '2026-1-1', '20260101', '2026-00-10', 'today', '2026-01-01T00:00'])
      expect(parseDay(text), text).to.equal(undefined);
    expect(formatDay(day('2028-02-29'))).to.equal('2028-02-29');
  });
});
