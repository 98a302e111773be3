import { expect } from 'chai';
import fc from 'fast-check';
import { noCalendarRules } from '#core/calendar/calendars';
import { DaysOff, dayOf, formatDay, weekdays } from '#core/calendar/days-off';
import { type MaintenanceTimes, maintenanceAt, nextMaintenance } from '#core/maintenance/maintenance-times';
import { zoneNamed } from '#core/time/zone';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const none = { name: 'patch days', weekdays: [], dates: [], working_dates: [], rules: [] };
const timesOf = (
  definition: Partial<typeof none> | object,
  given: Partial<MaintenanceTimes> = {},
): MaintenanceTimes => ({
  start_time: '00:00',
  end_time: '00:00',
  timezone: 'UTC',
  daysOff: new DaysOff({ ...none, ...definition }, noCalendarRules),
  ...given,
});
const text = (at: number) => new Date(at).toISOString().slice(0, 16);
const spans = (times: MaintenanceTimes, from: string, count: number) => {
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < count; ) {
    const span = nextMaintenance(times, at);
    if (!span) break;
    found.push(`${text(span.start)} to ${text(span.end)}`);
    at = span.end;
  }
  return found;
};

describe('The times of a maintenance window', () => {
  it('are on the days off of its calendar, between two local times', () => {
    const times = timesOf({ weekdays: ['sunday'] }, { start_time: '02:00', end_time: '05:30' });
    expect(spans(times, '2026-11-21T00:00Z', 2)).to.deep.equal([
      '2026-11-22T02:00 to 2026-11-22T05:30',
      '2026-11-29T02:00 to 2026-11-29T05:30',
    ]);
  });

  it('end on the next day where the end is not later than the start', () => {
    const times = timesOf({ weekdays: ['sunday'] }, { start_time: '22:00', end_time: '06:00' });
    expect(spans(times, '2026-11-22T00:00Z', 1)).to.deep.equal(['2026-11-22T22:00 to 2026-11-23T06:00']);
  });

  it('of whole days in a row are one', () => {
    const dates = [{ date: '2026-12-24', to: '2026-12-26' }, { date: '2026-12-31' }];
    expect(spans(timesOf({ dates }), '2026-12-01T00:00Z', 5)).to.deep.equal([
      '2026-12-24T00:00 to 2026-12-27T00:00',
      '2026-12-31T00:00 to 2027-01-01T00:00',
    ]);
  });

  it('leave out working dates', () => {
    const dates = [{ date: '2026-12-24', to: '2026-12-26' }];
    expect(spans(timesOf({ dates, working_dates: [{ date: '2026-12-25' }] }), '2026-12-01T00:00Z', 5)).to.deep.equal([
      '2026-12-24T00:00 to 2026-12-25T00:00',
      '2026-12-26T00:00 to 2026-12-27T00:00',
    ]);
  });

  it('are local over clock changes', () => {
    // Clocks in Prague went forward on 29 March 2026 at 02:00, and back on 25 October at 03:00.
    const night = timesOf(
      { weekdays: ['saturday'] },
      { start_time: '22:00', end_time: '06:00', timezone: 'Europe/Prague' },
    );
    expect(spans(night, '2026-03-28T00:00Z', 1)).to.deep.equal(['2026-03-28T21:00 to 2026-03-29T04:00']);
    expect(spans(night, '2026-10-24T00:00Z', 1)).to.deep.equal(['2026-10-24T20:00 to 2026-10-25T05:00']);
    const skipped = timesOf(
      { weekdays: ['sunday'] },
      { start_time: '02:10', end_time: '02:50', timezone: 'Europe/Prague' },
    );
    expect(spans(skipped, '2026-03-29T00:00Z', 1)).to.deep.equal(['2026-04-05T00:10 to 2026-04-05T00:50']);
  });

  it('that have begun are left out, and so are those that have ended by a later instant', () => {
    const times = timesOf({ weekdays: ['sunday'] }, { start_time: '02:00', end_time: '04:00' });
    const at = (instant: string) => Date.parse(instant);
    const next = nextMaintenance(times, at('2026-11-22T02:00Z'), at('2026-11-22T03:00Z'));
    expect(next?.start).to.equal(at('2026-11-22T02:00Z'));
    expect(nextMaintenance(times, at('2026-11-22T02:01Z'))?.start).to.equal(at('2026-11-29T02:00Z'));
    expect(nextMaintenance(times, at('2026-11-15T00:00Z'), at('2026-11-22T04:00Z'))?.start).to.equal(
      at('2026-11-29T02:00Z'),
    );
  });

  it('are none without a day off ahead', () => {
    expect(nextMaintenance(timesOf({}), 0)).to.equal(undefined);
    expect(nextMaintenance(timesOf({}, { daysOff: null }), 0)).to.equal(undefined);
    expect(nextMaintenance(timesOf({ dates: [{ date: '2020-01-01' }] }), Date.parse('2026-01-01'))).to.equal(undefined);
  });

  const clockTime = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  const written = ([hours, minutes]: readonly [number, number]) =>
    `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;

  it('are those in which the local time lies between both, away from clock changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
        fc.subarray([...weekdays], { maxLength: 6 }),
        clockTime,
        clockTime,
        fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') }),
        (timezone, off, start, end, at) => {
          const zone = zoneNamed(timezone);
          fc.pre(zone.wallAt(at - 2 * day) - zone.wallAt(at + 2 * day) === -4 * day);
          const times = timesOf({ weekdays: off }, { timezone, start_time: written(start), end_time: written(end) });
          const wall = zone.wallAt(at);
          const [from, to] = [start, end].map(([hours, minutes]) => hours * hour + minutes * minute) as [
            number,
            number,
          ];
          const time = wall - dayOf(wall) * day;
          const isOff = (number: number) =>
            off.some(
              (each) =>
                each ===
                new Date(formatDay(number))
                  .toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
                  .toLowerCase(),
            );
          const expected =
            to > from
              ? isOff(dayOf(wall)) && time >= from && time < to
              : (isOff(dayOf(wall)) && time >= from) || (isOff(dayOf(wall) - 1) && time < to);
          expect(maintenanceAt(times, at) !== undefined).to.equal(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('that follow each other do not meet, and an instant lies in one of them just where it is maintenance', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York', 'Australia/Lord_Howe'),
        fc.subarray([...weekdays], { minLength: 1, maxLength: 6 }),
        clockTime,
        clockTime,
        fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
        fc.integer({ min: 0, max: 20 * day }),
        (timezone, off, start, end, from, later) => {
          const times = timesOf({ weekdays: off }, { timezone, start_time: written(start), end_time: written(end) });
          const at = from + later;
          let span = nextMaintenance(times, from);
          let isIn = false;
          for (let last = -Infinity; span && span.start <= at; span = nextMaintenance(times, last)) {
            expect(span.start).to.be.greaterThan(last);
            expect(span.end).to.be.greaterThan(span.start);
            isIn ||= at < span.end;
            last = span.end;
          }
          // One that had begun before is in no later one.
          const begun = maintenanceAt(times, from);
          if (begun && at < begun.end) return;
          expect(maintenanceAt(times, at) !== undefined).to.equal(isIn);
        },
      ),
      { numRuns: 200 },
    );
  });
});
