import { expect } from 'chai';
import { describeDuration } from '#core/time/duration';
import { localTime, shortLocalTime, startOfDay } from '#core/time/local-time';

const at = Date.UTC(2026, 10, 21, 23, 5, 59);

describe('Local time for people', () => {
  it('is that of the zone, to the minute', () => {
    expect(localTime(at, 'UTC')).to.equal('2026-11-21 23:05');
    expect(localTime(at, 'Europe/Prague')).to.equal('2026-11-22 00:05');
  });

  it('leaves out the date of today', () => {
    expect(shortLocalTime(at, 'UTC', at - 3_600_000)).to.equal('23:05');
    expect(shortLocalTime(at, 'Europe/Prague', at - 3_600_000)).to.equal('2026-11-22 00:05');
  });

  it('begins its day at midnight, or where a clock change skips that at the first moment after it', () => {
    expect(startOfDay(at, 'Europe/Prague')).to.equal(Date.UTC(2026, 10, 21, 23));
    // In Santiago the clock goes from 24:00 to 01:00 on 5 September 2026.
    expect(startOfDay(Date.UTC(2026, 8, 6, 12), 'America/Santiago')).to.equal(Date.UTC(2026, 8, 6, 4));
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
