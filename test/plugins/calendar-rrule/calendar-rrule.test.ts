import { calendarRuleContract } from '@horarium/core/contracts';
import { expect } from 'chai';
import { recurrenceRule } from '../../../plugins/calendar-rrule/recurrence-rule.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const rule = (rrule: string, given: object = {}) => ({ rrule, start: null, days: 1, except: [], name: null, ...given });
const dates = (rrule: string, year: number, given: object = {}) =>
  recurrenceRule.daysOff(rule(rrule, given), year).map(({ date }) => date);
const refusal = (rrule: string, given: object = {}) => recurrenceRule.refuse?.(rule(rrule, given));

describe('The calendar rule rrule', () => {
  describe('keeps the contract', () => {
    const refused = [{ rrule: 'weekly' }, { rrule: 'FREQ=HOURLY' }, { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }];
    const options = { rrule: 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24' };
    defineContractTests(calendarRuleContract(recurrenceRule, { options, year: 2026, refused }));
  });

  const table: readonly (readonly [rrule: string, year: number, dates: readonly string[], given?: object])[] = [
    ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,31', 2026, ['2026-12-24', '2026-12-31']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 2026, []],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 2028, ['2028-02-29']],
    ['RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO', 2026, ['2026-05-25']],
    ['freq=yearly;bymonth=11;byday=4TH', 2026, ['2026-11-26']],
    ['FREQ=YEARLY;BYYEARDAY=1,-1', 2027, ['2027-01-01', '2027-12-31']],
    ['FREQ=YEARLY', 2026, ['2026-07-05'], { start: '2020-07-05' }],
    ['FREQ=YEARLY;INTERVAL=2', 2027, [], { start: '2020-07-05' }],
    ['FREQ=YEARLY;COUNT=2', 2021, ['2021-07-05'], { start: '2020-07-05' }],
    ['FREQ=YEARLY;COUNT=2', 2022, [], { start: '2020-07-05' }],
    ['FREQ=YEARLY;UNTIL=20210704', 2021, [], { start: '2020-07-05' }],
    ['FREQ=YEARLY;UNTIL=20210705T000000Z', 2021, ['2021-07-05'], { start: '2020-07-05' }],
    ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,31', 2026, ['2026-12-31'], { except: ['2026-12-24'] }],
    ['FREQ=YEARLY', 2021, ['2021-01-01', '2021-12-31'], { start: '2020-12-31', days: 2 }],
    ['FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1', 2019, [], { start: '2020-07-05' }],
  ];
  for (const [rrule, year, expected, given] of table)
    it(`has ${expected.join(', ') || 'no days'} in ${year} by ${rrule} ${given ? JSON.stringify(given) : ''}`, () => {
      expect(dates(rrule, year, given)).to.deep.equal(expected);
    });

  it('has each of the last working days of the month', () => {
    expect(dates('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 2026).slice(0, 3)).to.deep.equal([
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
    ]);
  });

  it('names its days, by the rule itself where they have no name', () => {
    const [named] = recurrenceRule.daysOff(rule('FREQ=YEARLY', { name: 'New Year' }), 2026);
    const [unnamed] = recurrenceRule.daysOff(rule('FREQ=YEARLY'), 2026);
    expect([named?.name, unnamed?.name]).to.deep.equal(['New Year', 'FREQ=YEARLY']);
  });

  const refusals: readonly (readonly [rrule: string, message: RegExp, given?: object])[] = [
    ['FREQ=HOURLY', /^has the part FREQ=HOURLY, whose value is none for days$/],
    ['FREQ=YEARLY;BYMONTH=13', /^has the part BYMONTH=13,/],
    ['FREQ=YEARLY;BYHOUR=3', /^has the part BYHOUR, which is none of FREQ, INTERVAL, /],
    [`FREQ=YEARLY;BYYEARDAY=${Array.from({ length: 32 }, (_, index) => index + 1)}`, /^has the part BYYEARDAY=1,2,/],
    ['FREQ=YEARLY;BYDAY=XX', /^has the part BYDAY=XX,/],
    ['FREQ=YEARLY;INTERVAL=2', /^has the part INTERVAL, which needs a start$/],
    ['FREQ=YEARLY;INTERVAL=0', /^has the part INTERVAL=0,/, { start: '2020-01-01' }],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /^has a rule that no day matches$/],
    ['BYMONTH=2', /^has a rule that cannot be used: /],
    ['FREQ=YEARLY', /^has the date 2026-02-30, which is none from /, { start: '2026-02-30' }],
    ['FREQ=YEARLY', /^has the date tomorrow, /, { except: ['tomorrow'] }],
    ['FREQ=YEARLY', /^has the date 0001-01-01, /, { start: '0001-01-01' }],
  ];
  for (const [rrule, message, given] of refusals)
    it(`refuses ${rrule} ${given ? JSON.stringify(given) : ''}`, () => {
      expect(refusal(rrule, given)).to.match(message);
    });

  it('accepts a rule whose first day is years away', () => {
    expect(refusal('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', { start: '2097-01-01' })).to.equal(null);
  });
});
