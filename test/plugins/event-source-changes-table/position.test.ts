import { expect } from 'chai';
import fc from 'fast-check';
import {
  advance,
  countReadable,
  parsePosition,
  sight,
  writePosition,
} from '../../../plugins/event-source-changes-table/position.ts';

/** Reads what is visible at a time, as the table does. @returns the keys, and the next cursor. */
function read(cursor: string | null, visible: readonly number[], now: number, wait: number, limit: number) {
  const from = parsePosition(cursor);
  const head = visible.length === 0 ? null : `${Math.max(...visible)}`;
  const position = sight(from, head, now, wait);
  const after = visible.filter((key) => from.at === null || key > Number(from.at)).toSorted((a, b) => a - b);
  const keys = after.slice(0, limit).map(String);
  const readable = keys.slice(0, countReadable(position, keys, now, wait));
  const last = readable.at(-1);
  return { keys: readable.map(Number), cursor: writePosition(last === undefined ? position : advance(position, last)) };
}

describe('The position in a changes table', () => {
  it('gives every key that is committed in time once, in order, whatever the order of the commits', () => {
    const wait = 1000;
    // Each key is given out at its index, and committed some time after, or never.
    const rows = fc.array(fc.option(fc.nat({ max: wait - 1 }), { nil: null, freq: 4 }), {
      minLength: 1,
      maxLength: 60,
    });
    const times = fc.array(fc.nat({ max: 3000 }), { maxLength: 60 });
    fc.assert(
      fc.property(rows, times, fc.integer({ min: 1, max: 7 }), (delays, moments, limit) => {
        const committedAt = new Map(
          delays.flatMap((delay, index) => (delay === null ? [] : [[index + 1, index * 20 + delay] as const])),
        );
        const given: number[] = [];
        let cursor: string | null = null;
        // The last reads come when every gap has had its time.
        const settled = Array.from({ length: 200 }, (_, index) => 5000 + index * 500);
        for (const now of [...moments.toSorted((a, b) => a - b), ...settled]) {
          const visible = [...committedAt].filter(([, at]) => at <= now).map(([key]) => key);
          const batch = read(cursor, visible, now, wait, limit);
          given.push(...batch.keys);
          cursor = batch.cursor;
          expect((cursor ?? '').length).to.be.at.most(1024);
        }
        expect(given).to.deep.equal([...committedAt.keys()]);
      }),
      { numRuns: 300 },
    );
  });

  it('gives keys without a gap at once, and those after one when it has been seen for the time', () => {
    let batch = read(null, [1, 2, 4, 6], 0, 1000, 10);
    expect(batch).to.deep.equal({ keys: [1, 2], cursor: '2 6@0' });
    batch = read(batch.cursor, [1, 2, 4, 6, 9], 500, 1000, 10);
    expect(batch).to.deep.equal({ keys: [], cursor: '2 6@0 9@500' });
    batch = read(batch.cursor, [1, 2, 4, 6, 9], 1000, 1000, 10);
    expect(batch).to.deep.equal({ keys: [4, 6], cursor: '6 9@500' });
    batch = read(batch.cursor, [1, 2, 4, 6, 9], 1500, 1000, 10);
    expect(batch).to.deep.equal({ keys: [9], cursor: '9' });
  });

  it('is short however long the keys are and however many reads wait for one', () => {
    let cursor: string | null = null;
    const key = BigInt('9'.repeat(60));
    for (let now = 0; now < 60_000; now += 100) {
      const position = sight(parsePosition(cursor), `${key + BigInt(now)}`, now, 60_000);
      cursor = writePosition(position);
    }
    expect((cursor as string).length).to.be.at.most(1024);
  });

  it('rejects a cursor of another kind', () => {
    for (const cursor of ['', 'abc', '1 2', '1 2@x', '1;drop table t', '{}', '- -', '1 2@3 x@4'])
      expect(() => parsePosition(cursor), cursor).to.throw('its cursor is none of a changes table');
  });
});
