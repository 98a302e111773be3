import { readFileSync } from 'node:fs';
import { calendarRuleContract } from '@horarium/core/contracts';
import { expect } from 'chai';
import { holidayRule } from '../../../plugins/calendar-holidays/holiday-rule.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const none = { state: null, region: null, types: [], language: 'en' };

/** Lists made by others, of the same days. */
const { countries } = JSON.parse(
  readFileSync(`${sourceRoot}/test/plugins/calendar-holidays/public-holidays.json`, 'utf8'),
) as { countries: Record<string, Record<string, string[]>> };

/** Where the two lists differ, by country and year. */
const differences: Readonly<Record<string, { missing?: string[]; more?: string[] }>> = {
  // Sundays on which Brazil votes.
  'BR 2026': { more: ['2026-10-04', '2026-10-25'] },
  // A law of 2025 made them working days, for 2026 by one list and from 2026 on by the other.
  'SK 2027': { missing: ['2027-05-08', '2027-09-15'] },
};

describe('The calendar rule holidays', () => {
  describe('keeps the contract', () => {
    const refused = [
      { country: 'XX' },
      { country: 'DE', state: 'XX' },
      { country: 'CZ', region: 'A' },
      { country: 'CZ', types: ['fun'] },
    ];
    defineContractTests(calendarRuleContract(holidayRule, { options: { country: 'CZ' }, year: 2026, refused }));
  });

  for (const [country, years] of Object.entries(countries))
    it(`has the public holidays of ${country} in ${Object.keys(years).join(', ')} as others list them`, () => {
      for (const [year, dates] of Object.entries(years)) {
        const { missing = [], more = [] } = differences[`${country} ${year}`] ?? {};
        const expected = [...dates.filter((date) => !missing.includes(date)), ...more].sort();
        const options = { ...none, country, state: country === 'GB' ? 'ENG' : null };
        const found = holidayRule.daysOff(options, Number(year)).map(({ date }) => date);
        expect(found.sort(), year).to.deep.equal(expected);
      }
    });

  it('adds those of a state and of a region, and names them in a language', () => {
    const daysOf = (given: object) =>
      holidayRule.daysOff({ ...none, country: 'DE', ...given }, 2026).map(({ date, name }) => `${date} ${name}`);
    expect(daysOf({ language: null })).to.include('2026-10-03 Tag der Deutschen Einheit');
    expect(daysOf({})).not.to.include('2026-01-06 Epiphany');
    expect(daysOf({ state: 'BY' })).to.include('2026-01-06 Epiphany');
    expect(daysOf({ state: 'BY' }).some((day) => day.startsWith('2026-08-08'))).to.equal(false);
    expect(daysOf({ state: 'BY', region: 'A' }).some((day) => day.startsWith('2026-08-08'))).to.equal(true);
  });

  it('has the days between two sunsets by their dates, each of a feast that lasts for several', () => {
    const dates = holidayRule.daysOff({ ...none, country: 'IL' }, 2027).map(({ date }) => date);
    expect(dates).to.include('2027-10-11').and.not.to.include('2027-10-10');
    const feast = holidayRule.daysOff({ ...none, country: 'SA' }, 2027).map(({ date }) => date);
    expect(feast).to.include.members(['2027-03-09', '2027-03-10', '2027-03-11', '2027-03-12']);
  });

  it('has holidays of other types where they are asked for, but none that leaves a part of its day', () => {
    const dates = (country: string, types: string[]) =>
      holidayRule.daysOff({ ...none, country, types }, 2026).map(({ date }) => date);
    expect(dates('IE', [])).not.to.include('2026-04-03');
    expect(dates('ie', ['public', 'bank']))
      .to.include('2026-04-03')
      .and.to.include('2026-04-06');
    // It begins at 14:00.
    expect(dates('AT', ['bank'])).not.to.include('2026-12-24');
  });

  it('names what there is instead of what it does not know', () => {
    const refusal = (given: object) => holidayRule.refuse?.({ ...none, country: 'DE', ...given });
    expect(refusal({ state: 'XX' })).to.match(/^has the state XX: there are BB, BE, /);
    expect(refusal({ country: 'CZ', state: 'PR' })).to.equal('has the state PR, but no states are known of CZ');
    expect(refusal({ region: 'A' })).to.equal('has a region, which needs a state');
    expect(refusal({ types: ['fun'] })).to.equal(
      'has the type fun: there are public, bank, school, optional, observance',
    );
    expect(refusal({ state: 'BY', region: 'A' })).to.equal(null);
  });
});
