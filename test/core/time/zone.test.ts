import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { zoneNamed } from '#core/time/zone';
import { everyZone, utcOffsetAt } from '../../support/clocks/intl-wall-clock.ts';

const day = 86_400_000;
const from = Date.UTC(2010, 0, 1);
const until = Date.UTC(2038, 0, 1);
const spansFrom = Date.UTC(2015, 0, 1);
const spansUntil = Date.UTC(2027, 0, 1);

describe('A time zone', () => {
  it('has the offset that Intl gives, at every time', () => {
    for (const name of everyZone) {
      const zone = zoneNamed(name);
      for (let at = from; at < until; at += 60 * day + 5_000)
        expect(zone.spanAt(at).offset, `${name} ${at}`).to.equal(utcOffsetAt(name, at));
    }
  });

  it('divides time into adjacent spans, and changes its offset where Temporal does', () => {
    for (const name of everyZone) {
      const zone = zoneNamed(name);
      let change = zone.nextChange(spansFrom);
      for (let span = zone.spanAt(spansFrom); span.end < spansUntil; ) {
        const next = zone.spanAt(span.end);
        const where = `${name} ${new Date(span.end).toISOString()}`;
        if (next.start !== span.end || next.offsetBefore !== span.offset) expect.fail(where);
        if (next.offset !== span.offset) {
          expect(span.end, where).to.equal(change);
          expect(utcOffsetAt(name, span.end - 1000), where).to.equal(span.offset);
          expect(utcOffsetAt(name, span.end), where).to.equal(next.offset);
          change = zone.nextChange(span.end);
        }
        span = next;
      }
      expect(change ?? spansUntil, name).to.be.at.least(spansUntil - 6 * day);
    }
  });

  it('has the clock changes that are reversed within two weeks', () => {
    const reversals: number[] = [];
    // Summer time of one week in Brazil, and of the weeks between Ramadan and winter in Palestine.
    for (const name of ['America/Recife', 'America/Fortaleza', 'America/Argentina/Tucuman', 'Asia/Gaza']) {
      const zone = zoneNamed(name);
      for (let at = Date.UTC(1995, 0, 1); at < Date.UTC(2090, 0, 1); ) {
        const change = zone.nextChange(at) ?? Infinity;
        if (change - at < 14 * day) reversals.push(change - at);
        for (const side of [change - 1000, change])
          if (side < Infinity) expect(zone.spanAt(side).offset, `${name} ${side}`).to.equal(utcOffsetAt(name, side));
        at = change;
      }
    }
    expect(reversals).to.have.lengthOf.at.least(3);
  });

  it('has the instants of every local time that Temporal gives, repeated and skipped ones included', () => {
    const wallNearChange = fc
      .record({ name: fc.constantFrom(...everyZone), at: fc.integer({ min: from, max: until }) })
      .chain(({ name, at }) => {
        const change = zoneNamed(name).nextChange(at) ?? at;
        return fc
          .integer({ min: -30 * 3600, max: 30 * 3600 })
          .map((seconds) => ({ name, wall: change + seconds * 1000 }));
      });
    fc.assert(
      fc.property(wallNearChange, ({ name, wall }) => {
        const plain = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime();
        const instantOf = (disambiguation: 'earlier' | 'later' | 'compatible') =>
          plain.toZonedDateTime(name, { disambiguation }).epochMilliseconds;
        const repeated = [...new Set([instantOf('earlier'), instantOf('later')])].filter(
          (at) => at + utcOffsetAt(name, at) === wall,
        );
        expect(zoneNamed(name).instantsAt(wall)).to.deep.equal(repeated.length ? repeated : [instantOf('compatible')]);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the same spans whichever were requested before', () => {
    const fresh = zoneNamed('Europe/Prague').spanAt(Date.UTC(2027, 0, 1));
    for (let year = 1900; year < 2300; year++) zoneNamed('Europe/Prague').spanAt(Date.UTC(year, 6, 1));
    expect(zoneNamed('Europe/Prague').spanAt(Date.UTC(2027, 0, 1))).to.deep.equal(fresh);
  });

  for (const name of ['Mars/Phobos', '', '+01:00', '-05', 'Europe/Prague ', '__proto__'])
    it(`is rejected as "${name}", by name`, () => {
      expect(() => zoneNamed(name)).to.throw(HorariumError, `There is no time zone "${name}"`);
    });
});
