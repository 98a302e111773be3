import { expect } from 'chai';
import { Cron as Croner } from 'croner';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { Cadence } from '#core/time/cadence';
import { Cron } from '#core/time/cron';
import { occurrenceAtOrAfter, occurrenceAtOrBefore } from '#core/time/occurrences';
import { windowAfter, windowAtOrAfter } from '#core/time/windows';
import { zoneNamed } from '#core/time/zone';
import { everyZone } from '../../support/clocks/intl-wall-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const custom = (cron: string, timezone: string): Cadence => ({ interval: 'custom', cron, timezone });
const iso = (instant: number | null | undefined) =>
  instant == null ? null : new Date(instant).toISOString().slice(0, 16);

function starts(cron: string, zone: string, from: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  let window = windowAtOrAfter(custom(cron, zone), Date.parse(from));
  for (; window && found.length < count; window = windowAfter(custom(cron, zone), window))
    found.push(iso(window.start));
  return found;
}

describe('The windows of a cron pattern', () => {
  /** Each row: pattern, zone, from, and the starts in UTC. */
  const table: [string, string, string, string[]][] = [
    // A time that is skipped moves forward by the gap: 02:30 becomes 03:30.
    ['30 2 * * *', 'Europe/Prague', '2027-03-27T00:00Z', ['2027-03-27T01:30', '2027-03-28T01:30', '2027-03-29T00:30']],
    [
      '30 2 * * *',
      'America/New_York',
      '2027-03-13T00:00Z',
      ['2027-03-13T07:30', '2027-03-14T07:30', '2027-03-15T06:30'],
    ],
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2027-10-01T00:00Z',
      ['2027-10-01T15:45', '2027-10-02T15:45', '2027-10-03T15:15'],
    ],
    ['30 0 * * *', 'Africa/Cairo', '2027-04-29T00:00Z', ['2027-04-29T22:30', '2027-04-30T21:30']],
    [
      '0 1,2 * * *',
      'Antarctica/Troll',
      '2027-03-27T12:00Z',
      ['2027-03-28T01:00', '2027-03-28T02:00', '2027-03-28T23:00'],
    ],
    // Moved times and those after the gap come in their own order, and once where they meet.
    ['50 2,3 * * *', 'Europe/Prague', '2027-03-28T00:00Z', ['2027-03-28T01:50', '2027-03-29T00:50']],
    [
      '10,50 2-3 * * *',
      'Europe/Prague',
      '2027-03-28T00:00Z',
      ['2027-03-28T01:10', '2027-03-28T01:50', '2027-03-29T00:10'],
    ],
    ['50 2 28 3 *', 'Europe/Prague', '2027-03-28T00:00Z', ['2027-03-28T01:50', '2028-03-28T00:50']],
    ['0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', ['2011-12-29T22:00', '2011-12-30T22:00', '2011-12-31T22:00']],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', ['2011-12-30T22:00', '2012-12-29T22:00']],
    // Of a repeated time the first one counts.
    ['30 2 * * *', 'Europe/Prague', '2027-10-30T00:00Z', ['2027-10-30T00:30', '2027-10-31T00:30', '2027-11-01T01:30']],
    ['30 1,2 * * *', 'Europe/Prague', '2027-10-31T00:00Z', ['2027-10-31T00:30', '2027-11-01T00:30']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00Z', ['2027-04-03T14:45', '2027-04-04T15:15']],
    ['0 2 * * *', 'Africa/Casablanca', '2026-02-14T12:00Z', ['2026-02-15T01:00', '2026-02-16T02:00']],
    // Steps without `*`, and wildcards of seconds, name times too.
    [
      '0 0-23/2 * * *',
      'Europe/Prague',
      '2027-03-27T23:00Z',
      ['2027-03-27T23:00', '2027-03-28T01:00', '2027-03-28T02:00'],
    ],
    [
      '30 1-3/1 * * *',
      'Europe/Prague',
      '2027-10-30T23:00Z',
      ['2027-10-30T23:30', '2027-10-31T00:30', '2027-10-31T02:30'],
    ],
    ['*/30 30 2 * * *', 'Europe/Prague', '2027-03-28T00:00Z', ['2027-03-28T01:30', '2027-03-28T01:30']],
    ['5,*/30 2 * * *', 'Europe/Prague', '2027-10-31T00:30Z', ['2027-10-31T00:30', '2027-11-01T01:00']],
    // A frequency goes on: through both passes of a repeated hour, and over a skipped one.
    ['@hourly', 'Europe/Prague', '2027-10-31T00:00Z', ['2027-10-31T00:00', '2027-10-31T01:00', '2027-10-31T02:00']],
    ['0 * * * *', 'Europe/Prague', '2027-10-31T00:00Z', ['2027-10-31T00:00', '2027-10-31T01:00', '2027-10-31T02:00']],
    [
      '*/30 1-3 * * *',
      'Europe/Prague',
      '2027-10-31T00:30Z',
      ['2027-10-31T00:30', '2027-10-31T01:00', '2027-10-31T01:30', '2027-10-31T02:00'],
    ],
    ['0 * * * *', 'Europe/Prague', '2027-03-28T00:00Z', ['2027-03-28T00:00', '2027-03-28T01:00', '2027-03-28T02:00']],
    [
      '*/20 * * * *',
      'Australia/Lord_Howe',
      '2027-10-02T15:00Z',
      ['2027-10-02T15:10', '2027-10-02T15:40', '2027-10-02T16:00'],
    ],
    ['30 0 0 29 2 *', 'UTC', '2027-01-01T00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['@weekly', 'Asia/Tokyo', '2027-01-01T00:00Z', ['2027-01-02T15:00', '2027-01-09T15:00']],
  ];
  for (const [pattern, zone, from, expected] of table)
    it(`of ${pattern} in ${zone} from ${from} start ${expected.join(', ')}`, () => {
      expect(starts(pattern, zone, from, expected.length)).to.deep.equal(expected);
    });

  it('end with the last year that croner supports', () => {
    expect(starts('0 0 1 1 *', 'UTC', '2997-06-01T00:00Z', 10)).to.deep.equal(['2998-01-01T00:00']);
  });

  const fieldOf = (max: number, min = 0) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 2, max: 15 }).map((step) => `*/${step}`),
      fc.integer({ min, max }).map(String),
      fc.uniqueArray(fc.integer({ min, max }), { minLength: 2, maxLength: 4 }).map((list) => list.join(',')),
      fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((ends) => ends.sort((a, b) => a - b).join('-')),
    );
  const hours = fc.oneof(fieldOf(23), fc.constantFrom('0', '1', '2', '3', '0-3', '1,2', '23', '22-23'));
  const days = fc.oneof({ weight: 6, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: fieldOf(28, 1) });
  const pattern = fc.tuple(
    fieldOf(59),
    hours,
    days,
    fc.constant('*'),
    fc.constantFrom('*', '*', '1-5', '0,6', '*/2', '3'),
  );
  const nearChange = fc
    .record({
      zone: fc.constantFrom(...everyZone),
      at: fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2036, 0, 1) }),
      offset: fc.integer({ min: -30 * 3600, max: 30 * 3600 }),
    })
    .map(({ zone, at, offset }) => {
      return { zone, at: (zoneNamed(zone).nextChange(at) ?? at) + offset * 1000 };
    });

  it('start where croner fires, except at times that a clock change skips', () => {
    fc.assert(
      fc.property(pattern, nearChange, (parts, { zone, at }) => {
        const text = parts.join(' ');
        const cron = new Cron(text);
        const croner = new Croner(text, { timezone: zone, fixedTimeRule: 'no-wildcard' });
        let from = Math.floor(at / 1000) * 1000;
        for (let count = 0; count < 6; count++) {
          const actual = occurrenceAtOrAfter(cron, zoneNamed(zone), from + 1);
          const expected = croner.nextRun(new Date(from))?.getTime() ?? null;
          if (actual === null || expected === null) {
            expect(actual).to.equal(expected);
            return;
          }
          const moved = cron.namesTimes && afterGap(zone, Math.min(actual, expected));
          if (!moved) expect(iso(actual), `${text} ${zone} after ${iso(from)}`).to.equal(iso(expected));
          from = Math.max(actual, expected);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('start at the instants that Temporal gives for the matching local times', () => {
    fc.assert(
      fc.property(pattern, nearChange, (parts, { zone, at }) => {
        const cron = new Cron(parts.join(' '));
        const from = Math.floor(at / minute) * minute;
        const until = from + 12 * hour;
        const expected = new Set<number>();
        for (let wall = cron.matchAtOrAfter(from - 40 * hour); wall !== null && wall < until + 40 * hour; ) {
          for (const instant of instantsOf(wall, zone, cron.namesTimes))
            if (instant >= from && instant < until) expected.add(instant);
          wall = cron.matchAtOrAfter(wall + 1);
        }
        const found: number[] = [];
        for (let next = occurrenceAtOrAfter(cron, zoneNamed(zone), from); next !== null && next < until; ) {
          found.push(next);
          next = occurrenceAtOrAfter(cron, zoneNamed(zone), next + 1);
        }
        expect(found.map(iso)).to.deep.equal([...expected].sort((a, b) => a - b).map(iso));
      }),
      { numRuns: 200 },
    );
  });

  it('are the same when searched forwards and backwards, in strict order', () => {
    fc.assert(
      fc.property(pattern, nearChange, (parts, { zone, at }) => {
        const cron = new Cron(parts.join(' '));
        const there = zoneNamed(zone);
        let previous = occurrenceAtOrBefore(cron, there, at);
        for (let count = 0; count < 8; count++) {
          const next = occurrenceAtOrAfter(cron, there, previous === null ? at : previous + 1);
          if (next === null) {
            expect(cron.matchAtOrAfter(at)).to.equal(null);
            return;
          }
          if (previous !== null) {
            expect(next).to.be.above(previous);
            expect(occurrenceAtOrBefore(cron, there, next - 1)).to.equal(previous);
          }
          expect(occurrenceAtOrBefore(cron, there, next)).to.equal(next);
          expect(occurrenceAtOrAfter(cron, there, next)).to.equal(next);
          previous = next;
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Returns the instants of a wall time by Temporal: one for a named time, each that exists for a frequency. */
function instantsOf(wall: number, zone: string, named: boolean): number[] {
  const plain = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime();
  if (named) return [plain.toZonedDateTime(zone).epochMilliseconds];
  return (['earlier', 'later'] as const)
    .map((disambiguation) => plain.toZonedDateTime(zone, { disambiguation }))
    .filter((moment) => moment.toPlainDateTime().equals(plain))
    .map((moment) => moment.epochMilliseconds);
}

/** Whether the clock went forward within the last day before an instant: there croner moves times otherwise. */
function afterGap(zone: string, instant: number): boolean {
  const change = zoneNamed(zone).nextChange(instant - 25 * hour);
  if (change === null || change > instant) return false;
  const { offset, offsetBefore } = zoneNamed(zone).spanAt(change);
  return offset > offsetBefore;
}
