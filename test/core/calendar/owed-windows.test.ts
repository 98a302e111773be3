import { expect } from 'chai';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { DaysOff, formatDay } from '#core/calendar/days-off';
import {
  canMove,
  type DayOffAction,
  dayOffAt,
  movedFrom,
  type OwedCadence,
  owedWindowAtOrAfter,
  owedWindowContaining,
  owedWindows,
} from '#core/calendar/owed-windows';
import type { IntervalName } from '#core/time/interval';
import { type Window, windows } from '#core/time/windows';

const day = 86_400_000;

interface Given {
  readonly interval?: IntervalName;
  readonly cron?: string | null;
  readonly timezone?: string;
  readonly day_off?: DayOffAction;
  readonly weekdays?: readonly string[];
  readonly dates?: readonly { date: string; to?: string; name?: string }[];
}

function cadence({ weekdays = ['saturday', 'sunday'], dates = [], ...given }: Given): OwedCadence {
  const definition = { name: 'shop', weekdays, dates, working_dates: [], rules: [] };
  const daysOff = new DaysOff(definition, new Map());
  return { interval: 'daily', cron: null, timezone: 'Europe/Prague', day_off: 'skip', ...given, daysOff };
}

/** The local times at which windows start and end: `Fri 27 00:00 - Sat 28 00:00`. */
function listed(given: Given, from: string, count: number): string[] {
  const of = cadence(given);
  const text = (at: number) => {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(of.timezone);
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][local.dayOfWeek - 1];
    return `${weekday} ${local.toPlainDateTime().toString().slice(5, 16).replace('T', ' ')}`;
  };
  const found: string[] = [];
  for (const { start, end } of owedWindows(of, Date.parse(from))) {
    found.push(`${text(start)} - ${text(end)}`);
    if (found.length === count) break;
  }
  return found;
}

describe('The windows that a calendar leaves or moves', () => {
  it('are as the interval has them without a calendar', () => {
    const of = { ...cadence({}), daysOff: null };
    const [from, to] = [Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 30)];
    expect([...owedWindows(of, from, to)]).to.deep.equal([...windows(of, from, to)]);
  });

  it('keep their place with skip, and leave out those that begin on a day off', () => {
    expect(listed({}, '2026-11-27T00:00Z', 3)).to.deep.equal([
      'Mon 11-30 00:00 - Tue 12-01 00:00',
      'Tue 12-01 00:00 - Wed 12-02 00:00',
      'Wed 12-02 00:00 - Thu 12-03 00:00',
    ]);
    expect(listed({}, '2026-11-26T12:00Z', 2)).to.deep.equal([
      'Fri 11-27 00:00 - Sat 11-28 00:00',
      'Mon 11-30 00:00 - Tue 12-01 00:00',
    ]);
  });

  it('go through the working day with skip and an hourly interval', () => {
    expect(listed({ interval: 'hourly' }, '2026-11-27T21:30Z', 3)).to.deep.equal([
      'Fri 11-27 23:00 - Sat 11-28 00:00',
      'Mon 11-30 00:00 - Mon 11-30 01:00',
      'Mon 11-30 01:00 - Mon 11-30 02:00',
    ]);
  });

  it('move to the next working day, where those that meet become one', () => {
    expect(listed({ day_off: 'next' }, '2026-11-26T12:00Z', 2)).to.deep.equal([
      'Fri 11-27 00:00 - Mon 11-30 00:00',
      'Mon 11-30 00:00 - Tue 12-01 00:00',
    ]);
    const monthly = { interval: 'monthly', day_off: 'next' } as const;
    expect(listed(monthly, '2026-07-15T00:00Z', 3)).to.deep.equal([
      'Mon 08-03 00:00 - Tue 09-01 00:00',
      'Tue 09-01 00:00 - Thu 10-01 00:00',
      'Thu 10-01 00:00 - Mon 11-02 00:00',
    ]);
  });

  it('move to the previous working day', () => {
    const monthly = { interval: 'monthly', day_off: 'previous' } as const;
    expect(listed(monthly, '2026-07-15T00:00Z', 3)).to.deep.equal([
      'Fri 07-31 00:00 - Tue 09-01 00:00',
      'Tue 09-01 00:00 - Thu 10-01 00:00',
      'Thu 10-01 00:00 - Fri 10-30 00:00',
    ]);
  });

  it('move to the last working day of the month by a cron pattern for its last day', () => {
    const last = { interval: 'custom', cron: '30 17 L * *', day_off: 'previous' } as const;
    expect(listed(last, '2026-10-01T00:00Z', 3)).to.deep.equal([
      'Fri 10-30 17:30 - Mon 11-30 17:30',
      'Mon 11-30 17:30 - Thu 12-31 17:30',
      'Thu 12-31 17:30 - Fri 01-29 17:30',
    ]);
  });

  it('interleave with the windows of the day to which they move', () => {
    const weekend = { interval: 'custom', cron: '0 8 * * MON,SAT', day_off: 'next' } as const;
    const sunday = { ...weekend, cron: '15 9,18 * * MON,SUN' };
    expect(listed(weekend, '2026-11-28T00:00Z', 2)).to.deep.equal([
      'Mon 11-30 08:00 - Mon 12-07 08:00',
      'Mon 12-07 08:00 - Mon 12-14 08:00',
    ]);
    expect(listed(sunday, '2026-11-28T00:00Z', 2)).to.deep.equal([
      'Mon 11-30 09:15 - Mon 11-30 18:15',
      'Mon 11-30 18:15 - Mon 12-07 09:15',
    ]);
  });

  it('move as local times: one that the change of the clock leaves out on a Sunday keeps its time on Monday', () => {
    const nightly = { interval: 'custom', cron: '30 2 * * *', day_off: 'next' } as const;
    expect(listed(nightly, '2027-03-26T12:00Z', 2)).to.deep.equal([
      'Mon 03-29 02:30 - Tue 03-30 02:30',
      'Tue 03-30 02:30 - Wed 03-31 02:30',
    ]);
  });

  it('end where no working day follows', () => {
    const closed = { dates: [{ date: '2026-12-01', to: '2190-01-01' }] };
    for (const day_off of ['skip', 'next'] as const) {
      const of = cadence({ ...closed, day_off });
      expect(owedWindowAtOrAfter(of, Date.UTC(2026, 11, 1)), day_off).to.equal(null);
    }
  });

  it('are found years ahead where most begin on days off', () => {
    const leap = { interval: 'custom', cron: '0 6 29 2 *' } as const;
    // 29 February is a Tuesday in 2028, a Sunday in 2032, a Friday in 2036, and a Wednesday in 2040.
    const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    expect(listed({ ...leap, weekdays }, '2026-11-28T00:00Z', 1)).to.deep.equal(['Sun 02-29 06:00 - Fri 02-29 06:00']);
    const never = { ...leap, weekdays: ['tuesday', 'wednesday', 'friday', 'sunday'] };
    expect(listed(never, '2026-11-28T00:00Z', 1)).to.deep.equal([]);
  });

  it('name the days from which they were moved', () => {
    const of = cadence({ day_off: 'next' });
    const [monday] = owedWindows(of, Date.UTC(2026, 10, 28)) as Iterable<Window>;
    expect(movedFrom(of, monday?.start ?? 0).map(formatDay)).to.deep.equal(['2026-11-28', '2026-11-29']);
    expect(movedFrom(of, monday?.end ?? 0)).to.deep.equal([]);
    expect(movedFrom(cadence({}), monday?.start ?? 0)).to.deep.equal([]);
    expect(dayOffAt(of, Date.UTC(2026, 10, 28))).to.equal('Saturday');
  });

  it('can move where their starts are times of days', () => {
    const of = (interval: IntervalName, cron: string | null = null) => canMove({ interval, cron });
    expect(
      ['daily', 'weekly', 'monthly', 'yearly', 'none'].map((interval) => of(interval as IntervalName)),
    ).not.to.include(false);
    expect([of('minutely'), of('hourly'), of('custom', '*/5 * * * *'), of('custom', '5 * * * *')]).not.to.include(true);
    expect(of('custom', '5 8-18 * * *')).to.equal(true);
  });
});

const zones = ['UTC', 'Europe/Prague', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Asuncion'];
const crons = [
  '30 2 * * *',
  '15 0,2,23 * * *',
  '0 8 * * MON-FRI',
  '0 6 1,15 * *',
  '45 1 L * *',
  '0 12 29 2 *',
  '10 3 * * SUN',
];
const weekdayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const from = Date.UTC(2026, 0, 1);
const to = Date.UTC(2027, 4, 1);

const arbitrary = fc.record({
  rule: fc.oneof(
    fc.constantFrom('daily', 'weekly', 'monthly', 'yearly').map((interval) => ({ interval, cron: null })),
    fc.constantFrom(...crons).map((cron) => ({ interval: 'custom', cron })),
  ),
  timezone: fc.constantFrom(...zones),
  day_off: fc.constantFrom('skip', 'next', 'previous'),
  weekdays: fc.subarray(weekdayNames, { maxLength: 6 }),
  dates: fc.array(
    fc.tuple(fc.integer({ min: -60, max: 800 }), fc.integer({ min: 0, max: 40 })).map(([first, length]) => ({
      date: formatDay(from / day + first),
      to: formatDay(from / day + first + length),
    })),
    { maxLength: 6 },
  ),
  at: fc.integer({ min: from, max: to }),
});

/** The starts of a cadence, found day by day: each nominal local time is moved to a working day, and then made an instant. */
function startsByTheDay(of: OwedCadence): number[] {
  const starts = new Set<number>();
  // Without clock changes the windows are at the nominal times.
  const nominal = windows({ ...of, timezone: 'UTC' }, from - 90 * day, to + 90 * day);
  if (of.day_off === 'skip') {
    for (const { start } of windows(of, from - 90 * day, to + 90 * day)) {
      const date = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(of.timezone).toPlainDate();
      if (!isOff(of, date)) starts.add(start);
    }
    return [...starts];
  }
  for (const { start } of nominal) {
    let local = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC').toPlainDateTime();
    while (isOff(of, local.toPlainDate())) local = local.add({ days: of.day_off === 'next' ? 1 : -1 });
    starts.add(local.toZonedDateTime(of.timezone).epochMilliseconds);
  }
  return [...starts].sort((one, other) => one - other);
}

function isOff({ daysOff }: OwedCadence, date: Temporal.PlainDate): boolean {
  return daysOff?.reasonFor(Date.parse(`${date}T00:00Z`) / day) != null;
}

describe('Every search for owed windows', () => {
  it('agrees with a walk through all days, in zones whose clock changes', () => {
    fc.assert(
      fc.property(arbitrary, ({ rule, timezone, day_off, weekdays, dates, at }) => {
        const of = cadence({ ...rule, timezone, day_off, weekdays, dates } as Given);
        const starts = startsByTheDay(of);
        const next = starts.find((start) => start >= at) ?? Infinity;
        if (next > to + 30 * day) return;
        const found = owedWindowAtOrAfter(of, at);
        expect(found?.start).to.equal(next);
        if (day_off === 'skip') {
          const raw = [...windows(of, from - 60 * day, at + 1)].at(-1);
          const owed = raw && starts.includes(raw.start) ? raw : null;
          if (raw) expect(owedWindowContaining(of, at)).to.deep.equal(owed);
          return;
        }
        const last = starts.findLast((start) => start <= at) ?? -Infinity;
        const after = starts.find((start) => start > next) ?? Infinity;
        if (after < to + 30 * day) expect(found?.end).to.equal(after);
        if (last > from - 30 * day) {
          const end = starts.find((start) => start > last);
          expect(owedWindowContaining(of, at)).to.deep.equal({ start: last, end });
        }
      }),
      { numRuns: 100 },
    );
  });
});
