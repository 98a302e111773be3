import { expect } from 'chai';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { Cadence } from '#core/time/cadence';
import type { IntervalName } from '#core/time/interval';
import { type Window, windowAfter, windowAtOrAfter, windowContaining, windows } from '#core/time/windows';
import { everyZone, type WallClockTime, wallClockAt, wallTimeAt } from '../../support/clocks/intl-wall-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const from = Date.UTC(2011, 0, 1);
const until = Date.UTC(2022, 0, 1);
const changesUntil = Date.UTC(2037, 0, 1);

const cadence = (interval: IntervalName, timezone: string, cron: string | null = null): Cadence => ({
  interval,
  timezone,
  cron,
});

/** Fails where a condition is false; writes the message only then, because there are millions of checks. */
function check(condition: boolean, where: () => string): void {
  if (!condition) expect.fail(where());
}

/** Returns the clock changes of a zone by Temporal, and a text that is the same for zones that always had the same time. */
function clockChanges(zone: string): { readonly changes: number[]; readonly history: string } {
  const changes: number[] = [];
  const first = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  const history = [first.offset];
  let at = first.getTimeZoneTransition('next');
  for (; at && at.epochMilliseconds < changesUntil; at = at.getTimeZoneTransition('next')) {
    changes.push(at.epochMilliseconds);
    history.push(`${at.epochMilliseconds} ${at.offset}`);
  }
  return { changes, history: history.join() };
}

/** Visits the windows between two instants, and checks that every other way of finding one agrees. */
function walk(
  cadenceOf: Cadence,
  start: number,
  end: number,
  visit: (window: Window, where: () => string) => void,
): void {
  let previous = windowContaining(cadenceOf, start - 1)?.end;
  for (const window of windows(cadenceOf, start, end)) {
    const where = () => `${cadenceOf.interval} ${cadenceOf.timezone} ${new Date(window.start).toISOString()}`;
    check(window.start === previous && window.end > window.start, where);
    previous = window.end;
    for (const inside of [window.start, window.end - 1]) {
      const containing = windowContaining(cadenceOf, inside);
      check(containing?.start === window.start && containing.end === window.end, where);
    }
    visit(window, where);
  }
  check(previous !== undefined && previous >= end, () => `${cadenceOf.interval} ${cadenceOf.timezone} ends early`);
}

describe('The windows of every zone', () => {
  /** The clock changes of one zone of each history: windows follow from nothing else. */
  const changesOf = new Map<string, number[]>();
  before(() => {
    const seen = new Set<string>();
    for (const zone of everyZone) {
      const { changes, history } = clockChanges(zone);
      if (!seen.has(history)) changesOf.set(zone, changes);
      seen.add(history);
    }
    expect(changesOf.size).to.be.above(100);
  });

  it('tile time by days that start at midnight, or at their first instant where a clock change skips it', () => {
    for (const [zone, changes] of changesOf)
      walk(cadence('daily', zone), from, until, ({ start, end }, where) => {
        check(end - start >= 20 * hour && end - start <= 28 * hour, where);
        if (wallTimeAt(zone, start) !== '00:00:00') check(changes.includes(start), where);
      });
  });

  it('start days where Temporal starts them, around every clock change', () => {
    for (const [zone, changes] of changesOf)
      for (const change of changes) {
        const date = Temporal.Instant.fromEpochMilliseconds(change).toZonedDateTimeISO(zone).toPlainDate();
        for (let days = -1; days <= 2; days++) {
          const start = date.add({ days }).toZonedDateTime(zone).epochMilliseconds;
          const window = windowContaining(cadence('daily', zone), start);
          check(window?.start === start, () => `${zone} ${new Date(start).toISOString()}`);
        }
      }
  });

  /** Each row: the interval, what its first day is, and the minimum and maximum of its days. */
  const calendar: [IntervalName, (wall: WallClockTime) => boolean, number, number][] = [
    ['weekly', ({ weekday }) => weekday === 'Mon', 6, 7],
    ['monthly', ({ day }) => day === 1, 28, 31],
    ['yearly', ({ day, month }) => day === 1 && month === 1, 364, 366],
  ];
  for (const [interval, isFirst, minDays, maxDays] of calendar)
    it(`tile time by ${interval} windows that begin with the first of their days`, () => {
      for (const [zone, changes] of changesOf)
        walk(cadence(interval, zone), from, interval === 'yearly' ? changesUntil : until, ({ start, end }, where) => {
          const days = (end - start) / (24 * hour);
          check(days > minDays - 0.2 && days < maxDays + 0.2, where);
          const wall = wallClockAt(zone, start);
          const midnight = wall.hour === 0 && wall.minute === 0 && wall.second === 0;
          check(isFirst(wall) && (midnight || changes.includes(start)), where);
        });
    });

  it('tile time by hours that start at local :00 only, around every clock change', () => {
    for (const [zone, changes] of changesOf)
      for (const change of changes) {
        const starts = new Set<number>();
        walk(cadence('hourly', zone), change - 26 * hour, change + 26 * hour, ({ start }) => starts.add(start));
        for (let at = change - 3 * hour; at < change + 3 * hour; at += minute)
          check(
            starts.has(at) === wallTimeAt(zone, at).endsWith(':00:00'),
            () => `${zone} ${new Date(at).toISOString()}`,
          );
      }
  });

  it('tile time by minutes around every clock change', () => {
    for (const [zone, changes] of changesOf)
      for (const change of changes)
        walk(cadence('minutely', zone), change - 45 * minute, change + 45 * minute, ({ start, end }, where) => {
          check(start % minute === 0 && end - start === minute, where);
        });
  });
});

describe('Windows', () => {
  const anyCadence = fc.record({
    interval: fc.constantFrom<IntervalName>('minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'custom'),
    timezone: fc.constantFrom(...everyZone),
    cron: fc.constantFrom('*/7 * * * *', '30 2 * * *', '0 0 * * 1-5', '15,45 1-3 * * *', '0 12 L * *', '30 0 0 29 2 *'),
  });

  it('are the same from any instant of the years 1800 to 2200', () => {
    const instant = fc.integer({ min: Date.UTC(1800, 0, 1), max: Date.UTC(2200, 0, 1) });
    fc.assert(
      fc.property(anyCadence, instant, (given, at) => {
        const current = windowContaining(given, at);
        if (!current) return expect.fail('no window');
        expect(current.start).to.be.at.most(at);
        expect(current.end).to.be.above(at);
        expect(windowAtOrAfter(given, current.start)).to.deep.equal(current);
        const next = windowAfter(given, current);
        expect(windowAtOrAfter(given, at === current.start ? at + 1 : at)).to.deep.equal(next);
        expect(next?.start).to.equal(current.end);
        expect(windowContaining(given, current.end)).to.deep.equal(next);
        expect(windowContaining(given, current.end - 1)).to.deep.equal(current);
      }),
      { numRuns: 3000 },
    );
  });

  it('do not exist for the interval none', () => {
    expect(windowAtOrAfter(cadence('none', 'UTC'), 0)).to.equal(null);
    expect(windowContaining(cadence('none', 'UTC'), 0)).to.equal(null);
    expect([...windows(cadence('none', 'UTC'), 0)]).to.deep.equal([]);
  });

  it('end within the year 9999, the last that can be stored', () => {
    const yearly = cadence('yearly', 'UTC');
    const lastYear = Date.UTC(9999, 0, 1);
    expect(windowContaining(yearly, Date.UTC(9998, 5, 1))).to.deep.equal({
      start: Date.UTC(9998, 0, 1),
      end: lastYear,
    });
    expect(windowAtOrAfter(yearly, lastYear)).to.equal(null);
    expect(windowContaining(yearly, lastYear)).to.equal(null);
  });

  it('stop before the given end', () => {
    const hours = [...windows(cadence('hourly', 'UTC'), 1, 3 * hour)];
    expect(hours).to.deep.equal([
      { start: hour, end: 2 * hour },
      { start: 2 * hour, end: 3 * hour },
    ]);
  });

  /** Each row: the interval, the zone, the first window start, and the lengths in minutes of the windows from it on. */
  const table: [IntervalName, string, string, number[]][] = [
    ['daily', 'Europe/Prague', '2027-03-26T23:00Z', [1440, 1380, 1440]],
    ['daily', 'Europe/Prague', '2027-10-29T22:00Z', [1440, 1500, 1440]],
    ['daily', 'America/New_York', '2027-03-13T05:00Z', [1440, 1380, 1440]],
    ['daily', 'America/New_York', '2027-11-06T04:00Z', [1440, 1500, 1440]],
    ['daily', 'Australia/Lord_Howe', '2027-04-02T13:00Z', [1440, 1470, 1440]],
    ['daily', 'Australia/Lord_Howe', '2027-10-01T13:30Z', [1440, 1410, 1440]],
    ['hourly', 'Australia/Lord_Howe', '2027-04-03T13:00Z', [60, 90, 60]],
    ['hourly', 'Australia/Lord_Howe', '2027-10-02T13:30Z', [60, 90, 60]],
    ['hourly', 'Europe/Prague', '2027-10-30T23:00Z', [60, 60, 60]],
    ['hourly', 'Asia/Kathmandu', '2027-01-01T00:15Z', [60, 60]],
    // Midnight does not exist: the day begins at 01:00.
    ['daily', 'Africa/Cairo', '2027-04-28T22:00Z', [1440, 1380, 1440]],
    // At 24:00 the clock goes back to 23:00.
    ['daily', 'Africa/Cairo', '2027-10-26T21:00Z', [1440, 1500, 1440]],
    // 30 December 2011 was skipped: the 29th is followed by the 31st.
    ['daily', 'Pacific/Apia', '2011-12-29T10:00Z', [1440, 1440, 1440]],
    ['weekly', 'Pacific/Apia', '2011-12-26T10:00Z', [6 * 1440, 7 * 1440]],
    ['monthly', 'Pacific/Apia', '2011-12-01T10:00Z', [30 * 1440, 31 * 1440]],
    ['yearly', 'Pacific/Apia', '2011-01-01T10:00Z', [364 * 1440, 366 * 1440]],
    ['daily', 'Pacific/Kwajalein', '1993-08-20T12:00Z', [1440, 1440]],
    // Ramadan: an hour back in February, forward again in March.
    ['daily', 'Africa/Casablanca', '2026-02-13T23:00Z', [1440, 1500, 1440]],
    ['daily', 'Africa/Casablanca', '2026-03-21T00:00Z', [1440, 1380, 1440]],
    // Summer time for one week only.
    ['daily', 'America/Recife', '2000-10-07T03:00Z', [1440, 1380, 1440, 1440, 1440, 1440, 1440, 1500, 1440]],
    // Two hours at once.
    ['daily', 'Antarctica/Troll', '2027-03-27T00:00Z', [1440, 1320, 1440]],
    ['daily', 'Antarctica/Troll', '2027-10-29T22:00Z', [1440, 1560, 1440]],
    // At 00:01 the clock went back to 23:01: of the two midnights the first counts.
    ['daily', 'America/St_Johns', '2010-11-06T02:30Z', [1440, 1500, 1440]],
    // At 00:00 the clock went back to 23:00: the day before is the longer one.
    ['daily', 'America/Sao_Paulo', '2018-02-17T02:00Z', [1500, 1440]],
    ['weekly', 'Europe/Prague', '2027-03-21T23:00Z', [7 * 1440 - 60, 7 * 1440]],
    ['monthly', 'Europe/Prague', '2028-01-31T23:00Z', [29 * 1440, 31 * 1440 - 60]],
    ['yearly', 'Europe/Prague', '2027-12-31T23:00Z', [366 * 1440, 365 * 1440]],
  ];
  for (const [interval, zone, start, lengths] of table)
    it(`${interval} in ${zone} from ${start} last ${lengths.join(', ')} minutes`, () => {
      const first = Date.parse(start.replace('Z', ':00Z'));
      const found: number[] = [];
      let at = first;
      for (const window of windows(cadence(interval, zone), first)) {
        if (found.length === lengths.length) break;
        expect(window.start).to.equal(at);
        found.push((window.end - window.start) / minute);
        at = window.end;
      }
      expect(found).to.deep.equal(lengths);
    });
});
