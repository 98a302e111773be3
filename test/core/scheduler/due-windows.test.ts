import { RunTemplate, type RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { dueWindows, nextWindowStart } from '#core/scheduler/due-windows';
import { newRow } from '#core/store/table';
import type { ScheduleSpec } from '#core/template/schedule';

const minute = 60_000;
const hour = 60 * minute;
const five = Date.UTC(2026, 10, 21, 5);

const template = (fields: Partial<RunTemplateRow>): ScheduleSpec => ({
  ...newRow(RunTemplate, { name: 't', interval: 'hourly', timezone: 'UTC', ...fields }),
  id: 1,
  daysOff: null,
});

/** The hours and modes of hourly windows: `5 missed, 6 caught_up`. */
function modes({ windows }: ReturnType<typeof dueWindows>): string {
  return windows.map(({ window, mode }) => `${(window.start - five) / hour + 5} ${mode}`).join(', ');
}

describe('dueWindows', () => {
  for (const catch_up of ['latest', 'all', 'none'] as const) {
    it(`returns the current window as normal, with catch_up ${catch_up}`, () => {
      const due = dueWindows(template({ catch_up }), five, five, 200);
      expect(modes(due)).to.equal('5 normal');
      expect(due.next).to.equal(five + hour);
    });

    it(`returns no window before the next one begins, with catch_up ${catch_up}`, () => {
      expect(dueWindows(template({ catch_up }), five + hour, five + hour - 1, 200)).to.deep.equal({
        windows: [],
        next: five + hour,
      });
    });
  }

  const after = five + 4 * hour + minute;
  it('returns passed windows as missed except the latest, with catch_up latest', () => {
    expect(modes(dueWindows(template({ catch_up: 'latest' }), five, after, 200))).to.equal(
      '5 missed, 6 missed, 7 missed, 8 caught_up, 9 normal',
    );
  });

  it('returns all passed windows as caught up, oldest first, with catch_up all', () => {
    expect(modes(dueWindows(template({ catch_up: 'all' }), five, after, 200))).to.equal(
      '5 caught_up, 6 caught_up, 7 caught_up, 8 caught_up, 9 normal',
    );
  });

  it('returns all passed windows as missed, with catch_up none', () => {
    expect(modes(dueWindows(template({ catch_up: 'none' }), five, after, 200))).to.equal(
      '5 missed, 6 missed, 7 missed, 8 missed, 9 normal',
    );
  });

  it('treats a window as passed from the instant of its end on', () => {
    expect(modes(dueWindows(template({ catch_up: 'latest' }), five, five + hour, 200))).to.equal(
      '5 caught_up, 6 normal',
    );
    expect(modes(dueWindows(template({ catch_up: 'latest' }), five, five + hour - 1, 200))).to.equal('5 normal');
  });

  it('returns no window that starts after the template ends', () => {
    const ended = template({ catch_up: 'all', ends_at: five + 2 * hour });
    const due = dueWindows(ended, five, five + 9 * hour, 200);
    expect(modes(due)).to.equal('5 caught_up, 6 caught_up');
    expect(due.next).to.equal(null);
    expect(modes(dueWindows(template({ ends_at: five + 2 * hour + 1 }), five, five + 9 * hour, 200))).to.equal(
      '5 missed, 6 missed, 7 caught_up',
    );
  });

  it('returns no window with the interval none', () => {
    expect(dueWindows(template({ interval: 'none' }), five, after, 200)).to.deep.equal({ windows: [], next: null });
  });

  for (const [catch_up, run] of [
    ['latest', 1],
    ['all', 1000],
    ['none', 0],
  ] as const)
    it(`returns the windows of a long outage in batches, the latest ${run} as caught up, with catch_up ${catch_up}`, () => {
      const minutely = template({ interval: 'minutely', catch_up });
      const passed = 1700;
      const now = five + passed * minute + 30_000;
      const starts: number[] = [];
      const found: string[] = [];
      for (let next: number | null = five; next !== null && next <= now; ) {
        const due = dueWindows(minutely, next, now, 200);
        expect(due.windows.length).to.be.within(1, 200);
        for (const { window, mode } of due.windows) {
          starts.push(window.start);
          found.push(mode);
        }
        next = due.next;
      }
      expect(starts).to.deep.equal(Array.from({ length: passed + 1 }, (_, index) => five + index * minute));
      expect(found).to.deep.equal([...Array(passed - run).fill('missed'), ...Array(run).fill('caught_up'), 'normal']);
    });

  it('leaves the next window for the next tick when the current one completes a batch', () => {
    const due = dueWindows(template({ catch_up: 'latest' }), five, five + 199 * hour, 200);
    expect(due.windows).to.have.lengthOf(200);
    expect(due.windows.at(-1)?.mode).to.equal('normal');
    expect(due.windows.at(-2)?.mode).to.equal('caught_up');
    expect(due.next).to.equal(five + 200 * hour);
  });
});

describe('nextWindowStart', () => {
  it('returns the start of the first window at or after an instant', () => {
    expect(nextWindowStart(template({}), five)).to.equal(five);
    expect(nextWindowStart(template({}), five + 1)).to.equal(five + hour);
  });

  it('returns no window before starts_at', () => {
    expect(nextWindowStart(template({ starts_at: five + 90 * minute }), five)).to.equal(five + 2 * hour);
    expect(nextWindowStart(template({ starts_at: five - hour }), five)).to.equal(five);
  });

  it('returns null once the template has ended', () => {
    expect(nextWindowStart(template({ ends_at: five + hour }), five + 1)).to.equal(null);
    expect(nextWindowStart(template({ ends_at: five + hour + 1 }), five + 1)).to.equal(five + hour);
  });
});
