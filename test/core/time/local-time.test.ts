import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { describeDuration } from '#core/time/duration';
import { formatLocalTime, formatShortLocalTime, localDaysIn, maxDays, startOfDay } from '#core/time/local-time';

const at = Date.UTC(2026, 10, 21, 23, 5, 59);

describe('Local time for people', () => {
  it('is that of the zone, to the minute', () => {
    expect(formatLocalTime(at, 'UTC')).to.equal('2026-11-21 23:05');
    expect(formatLocalTime(at, 'Europe/Prague')).to.equal('2026-11-22 00:05');
  });

  it('leaves out the date of today', () => {
    expect(formatShortLocalTime(at, 'UTC', at - 3_600_000)).to.equal('23:05');
    expect(formatShortLocalTime(at, 'Europe/Prague', at - 3_600_000)).to.equal('2026-11-22 00:05');
  });
});

describe('A duration for people', () => {
  for (const [milliseconds, text] of [
    [0, '0 s'],
    [999, '0 s'],
    [45_000, '45 s'],
    [60_000, '1 min'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [4_800_000, '1 h 20 min'],
    [86_400_000 * 3 + 3_600_000 * 4 + 60_000, '3 d 4 h'],
  ] as const)
    it(`of ${milliseconds} ms is ${text}`, () => expect(describeDuration(milliseconds)).to.equal(text));
});

const hour = 3_600_000;
const prague = 'Europe/Prague';

describe('The days of a time zone', () => {
  it('begin at midnight, or where a clock change skips that at the first moment after it', () => {
    const at = Date.UTC(2026, 10, 21, 23, 5, 59);
    expect(startOfDay(at, prague)).to.equal(Date.UTC(2026, 10, 21, 23));
    expect(startOfDay(at, prague, 6)).to.equal(Date.UTC(2026, 10, 15, 23));
    // In Santiago the clock goes from 24:00 to 01:00 on 5 September 2026.
    expect(startOfDay(Date.UTC(2026, 8, 6, 12), 'America/Santiago')).to.equal(Date.UTC(2026, 8, 6, 4));
  });

  it('are cut to the range, the newest first, and as long as the clock makes them', () => {
    const range = { from: Date.UTC(2026, 9, 24, 10), to: Date.UTC(2026, 9, 26, 10) };
    const days = localDaysIn(range, prague);
    expect(days.map(({ day }) => day)).to.deep.equal(['2026-10-26', '2026-10-25', '2026-10-24']);
    expect(days.map(({ from, to }) => (to + 1 - from) / hour)).to.deep.equal([11 + 1 / hour, 25, 12]);
  });

  it('cover the range without a gap or an overlap', () => {
    const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
    const zone = fc.constantFrom('UTC', prague, 'America/Santiago', 'Pacific/Apia', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 30 * 24 * hour }), zone, (from, length, timezone) => {
        const days = localDaysIn({ from, to: from + length }, timezone).reverse();
        expect([days[0]?.from, days.at(-1)?.to]).to.deep.equal([from, from + length]);
        for (const [index, { from: begin }] of days.entries())
          if (index > 0) expect(begin).to.equal((days[index - 1]?.to ?? 0) + 1);
      }),
    );
  });

  it(`are refused beyond ${maxDays}`, () => {
    const to = Date.UTC(2026, 0, 1);
    expect(localDaysIn({ from: to - (maxDays - 1) * 24 * hour, to }, 'UTC')).to.have.length(maxDays);
    expect(() => localDaysIn({ from: to - maxDays * 24 * hour, to }, 'UTC')).to.throw(
      HorariumError,
      'The range has 367 days; the maximum is 366.',
    );
  });
});
