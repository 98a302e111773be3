import { formatInstant } from '@horarium/core';
import { assert } from 'chai';
import fc from 'fast-check';

describe('formatInstant', () => {
  it('writes RFC 3339 in UTC with milliseconds', () => {
    assert.equal(formatInstant(Date.UTC(2026, 10, 21, 5, 7, 9, 40)), '2026-11-21T05:07:09.040Z');
    assert.equal(formatInstant(0), '1970-01-01T00:00:00.000Z');
    assert.equal(formatInstant(-1), '1969-12-31T23:59:59.999Z');
  });

  it('writes every instant as Date.toISOString does, although it caches the last day', () => {
    const [first, last] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
    const instants = fc.oneof(
      fc.integer({ min: first, max: last }),
      fc.integer({ min: -100_000_000, max: 100_000_000 }),
    );
    fc.assert(
      fc.property(instants, (instant) => {
        assert.equal(formatInstant(instant), new Date(instant).toISOString());
      }),
    );
  });

  it('throws a RangeError for what is no instant', () => {
    assert.throws(() => formatInstant(Number.NaN), RangeError);
  });
});
