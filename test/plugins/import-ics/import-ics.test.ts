import { Calendar, Company, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { recurrenceRule } from '../../../plugins/calendar-rrule/recurrence-rule.ts';
import { calendarImporter } from '../../../plugins/import-ics/calendar-importer.ts';
import { readIcs } from '../../../plugins/import-ics/read-ics.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { runImport } from '../../support/program/run-import.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

/** A file of events, each of some lines. */
function ics(...events: string[][]): string {
  const lines = events.flatMap((event, index) => ['BEGIN:VEVENT', `UID:${index}@test`, ...event, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'X-WR-CALNAME:Closures', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

const read = (...events: string[][]) => readIcs('shop.ics', ics(...events));

describe('iCalendar files', () => {
  it('become spans of dates, the last of which is the day before their end', () => {
    const { name, dates, rules, notes } = read(
      ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20270102', 'SUMMARY:Company holidays\\, all of us'],
      ['DTSTART;VALUE=DATE:20260508', 'SUMMARY;LANGUAGE=cs:Den vítězství'],
      ['DTSTART;VALUE=DATE:20260601', 'DURATION:P2D'],
    );
    expect({ name, dates, rules, notes }).to.deep.equal({
      name: 'Closures',
      dates: [
        { date: '2026-12-24', to: '2027-01-01', name: 'Company holidays, all of us' },
        { date: '2026-05-08', name: 'Den vítězství' },
        { date: '2026-06-01', to: '2026-06-02' },
      ],
      rules: [],
      notes: [],
    });
  });

  it('become recurrence rules, without the days that are excepted or moved', () => {
    const recurring = [
      'DTSTART;VALUE=DATE:20200501',
      'SUMMARY:Labour Day',
      'RRULE:FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1',
      'EXDATE;VALUE=DATE:20270501,20280501',
    ];
    const text = ics(recurring).replace(
      'END:VCALENDAR',
      [
        'BEGIN:VEVENT',
        'UID:0@test',
        'RECURRENCE-ID;VALUE=DATE:20290501',
        'DTSTART;VALUE=DATE:20290502',
        'SUMMARY:Labour Day, moved',
        'END:VEVENT',
        'END:VCALENDAR',
      ].join('\r\n'),
    );
    const { dates, rules } = readIcs('shop.ics', text);
    expect(dates).to.deep.equal([{ date: '2029-05-02', name: 'Labour Day, moved' }]);
    expect(rules).to.deep.equal([
      {
        rrule: 'FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1',
        start: '2020-05-01',
        except: ['2027-05-01', '2028-05-01', '2029-05-01'],
        name: 'Labour Day',
      },
    ]);
  });

  it('become rules of several days, and dates for those that are added to an event', () => {
    const { dates, rules } = read(
      ['DTSTART;VALUE=DATE:20260227', 'DTEND;VALUE=DATE:20260301', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-2'],
      ['DTSTART;VALUE=DATE:20260701', 'RDATE;VALUE=DATE:20260801,20260901', 'SUMMARY:inventory'],
    );
    expect(rules).to.deep.equal([{ rrule: 'FREQ=MONTHLY;BYMONTHDAY=-2', start: '2026-02-27', days: 2 }]);
    expect(dates.map(({ date }) => date)).to.deep.equal(['2026-07-01', '2026-08-01', '2026-09-01']);
  });

  it('lose their cancelled events and those of a part of a day, and say so', () => {
    const { dates, notes } = read(
      ['DTSTART;VALUE=DATE:20261111', 'STATUS:CANCELLED'],
      ['DTSTART;TZID=Europe/Prague:20261201T090000', 'DTEND;TZID=Europe/Prague:20261201T100000'],
      ['DTSTART;VALUE=DATE:20261117'],
    );
    expect(dates).to.deep.equal([{ date: '2026-11-17' }]);
    expect(notes).to.deep.equal(['shop.ics: 1 event is left out, because only whole days are off.']);
  });

  const refused: readonly (readonly [what: string, text: string, message: string])[] = [
    ['another text', 'root:x:0:0', 'it is no iCalendar file: it has no line BEGIN:VCALENDAR'],
    ['nothing', '', 'it is no iCalendar file'],
    ['a file that is cut off', ics(['DTSTART;VALUE=DATE:20261117']).slice(0, -30), 'it is cut off: a line END:V'],
    ['a file without a day', ics(['DTSTART:20261201T090000Z']), 'it has no event of a whole day'],
  ];
  for (const [what, text, message] of refused)
    it(`are refused if they are ${what}`, () => {
      expect(() => readIcs('x', text)).to.throw(message);
    });
});

describe('The importer of calendars', () => {
  const options = { code: 'shop', name: null, company: null };
  const world = () => new MemoryCore({ calendarRules: new Map([['rrule', recurrenceRule]]) });
  const file = (text: string) => [{ name: 'shop.ics', text }];
  const actor = trustedActor('tester');
  const first = ics(
    ['DTSTART;VALUE=DATE:20261224', 'SUMMARY:closed'],
    ['DTSTART;VALUE=DATE:20200501', 'RRULE:FREQ=YEARLY', 'SUMMARY:Labour Day'],
  );
  const stored = (core: MemoryCore) => core.records(Calendar).get(actor, 1);

  it('creates a calendar, which a second import leaves as it is', async () => {
    const core = world();
    const created = await runImport(core, calendarImporter, file(first), options);
    expect(created.rows).to.deep.equal([
      { id: 1, code: 'shop', name: 'Closures', dates: 1, recurrences: 1, result: 'created' },
    ]);
    expect(await stored(core)).to.deep.include({
      company_id: null,
      dates: [{ date: '2026-12-24', name: 'closed' }],
      rules: [{ rule: 'rrule', rrule: 'FREQ=YEARLY', start: '2020-05-01', name: 'Labour Day' }],
    });
    const again = await runImport(core, calendarImporter, file(first), options);
    expect(again.rows[0]).to.include({ id: 1, result: 'unchanged' });
  });

  it('replaces the dates and recurrences of a calendar, and keeps its weekdays and its name', async () => {
    const core = world();
    await runImport(core, calendarImporter, file(first), options);
    await core.records(Calendar).save(actor, { id: 1, name: 'Shop', weekdays: ['sunday'] });
    const second = ics(['DTSTART;VALUE=DATE:20270104', 'SUMMARY:inventory']);
    expect((await runImport(core, calendarImporter, file(second), options)).rows[0]).to.include({ result: 'updated' });
    expect(await stored(core)).to.deep.include({
      name: 'Shop',
      weekdays: ['sunday'],
      dates: [{ date: '2027-01-04', name: 'inventory' }],
      rules: [],
    });
  });

  it('gives it to a company', async () => {
    const core = world();
    const { id } = await core.records(Company).save(actor, { code: 'acme', name: 'Acme' });
    await runImport(core, calendarImporter, file(first), { ...options, company: id, name: 'Ours' });
    expect(await stored(core)).to.include({ company_id: id, name: 'Ours' });
    const missing = runImport(core, calendarImporter, file(first), { ...options, company: 99 });
    expect((await rejectionOf(missing)).message).to.include('there is no Company 99');
  });

  it('imports nothing where a file cannot be read, or an event recurs within a day', async () => {
    const core = world();
    const both = [...file(first), { name: 'broken.ics', text: 'BEGIN:VCALENDAR' }];
    expect((await rejectionOf(runImport(core, calendarImporter, both, options))).message).to.equal(
      'broken.ics: it is cut off: a line END:VCALENDAR is missing\nNothing was imported.',
    );
    const hourly = file(ics(['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=HOURLY']));
    expect((await rejectionOf(runImport(core, calendarImporter, hourly, options))).message).to.include(
      'rules[0] has the part FREQ=HOURLY, whose value is none for days',
    );
    expect(await core.store.read((tables) => tables.of(Calendar).find())).to.deep.equal([]);
  });
});
