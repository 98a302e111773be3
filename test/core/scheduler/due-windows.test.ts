import { newRow, RunTemplate, type RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { dueWindows, owedAfter } from '#core/scheduler/due-windows';

const minute = 60_000;
const hour = 60 * minute;
const five = Date.UTC(2026, 10, 21, 5);

const template = (over: Partial<RunTemplateRow>): RunTemplateRow =>
  ({ ...newRow(RunTemplate, { name: 't', interval: 'hourly', timezone: 'UTC', ...over }), id: 1 }) as RunTemplateRow;

/** `5 missed, 6 caught_up` for hourly windows. */
function told({ windows }: ReturnType<typeof dueWindows>): string {
  return windows.map(({ window, mode }) => `${(window.start - five) / hour + 5} ${mode}`).join(', ');
}

describe('The windows that are due', () => {
  for (const catch_up of ['latest', 'all', 'none'] as const) {
    it(`are the current one, run normally, under ${catch_up}`, () => {
      const due = dueWindows(template({ catch_up }), five, five, 200);
      expect(told(due)).to.equal('5 normal');
      expect(due.next).to.equal(five + hour);
    });

    it(`are none before the next one begins, under ${catch_up}`, () => {
      expect(dueWindows(template({ catch_up }), five + hour, five + hour - 1, 200)).to.deep.equal({
        windows: [],
        next: five + hour,
      });
    });
  }

  const after = five + 4 * hour + minute;
  it('after downtime are missed but for the newest that has passed, under latest', () => {
    expect(told(dueWindows(template({ catch_up: 'latest' }), five, after, 200))).to.equal(
      '5 missed, 6 missed, 7 missed, 8 caught_up, 9 normal',
    );
  });

  it('after downtime are all run, oldest first, under all', () => {
    expect(told(dueWindows(template({ catch_up: 'all' }), five, after, 200))).to.equal(
      '5 caught_up, 6 caught_up, 7 caught_up, 8 caught_up, 9 normal',
    );
  });

  it('after downtime are missed, under none', () => {
    expect(told(dueWindows(template({ catch_up: 'none' }), five, after, 200))).to.equal(
      '5 missed, 6 missed, 7 missed, 8 missed, 9 normal',
    );
  });

  it('have passed at their very end, when the next one is current', () => {
    expect(told(dueWindows(template({ catch_up: 'latest' }), five, five + hour, 200))).to.equal(
      '5 caught_up, 6 normal',
    );
    expect(told(dueWindows(template({ catch_up: 'latest' }), five, five + hour - 1, 200))).to.equal('5 normal');
  });

  it('end with the last that starts before the template ends', () => {
    const ended = template({ catch_up: 'all', ends_at: five + 2 * hour });
    const due = dueWindows(ended, five, five + 9 * hour, 200);
    expect(told(due)).to.equal('5 caught_up, 6 caught_up');
    expect(due.next).to.equal(null);
    expect(told(dueWindows(template({ ends_at: five + 2 * hour + 1 }), five, five + 9 * hour, 200))).to.equal(
      '5 missed, 6 missed, 7 caught_up',
    );
  });

  it('are none for a template without an interval', () => {
    expect(dueWindows(template({ interval: 'none' }), five, after, 200)).to.deep.equal({ windows: [], next: null });
  });

  for (const [catch_up, run] of [
    ['latest', 1],
    ['all', 1000],
    ['none', 0],
  ] as const)
    it(`of a long outage come in batches, and ${run} of them are run, the newest, under ${catch_up}`, () => {
      const minutely = template({ interval: 'minutely', catch_up });
      const passed = 1700;
      const now = five + passed * minute + 30_000;
      const starts: number[] = [];
      const modes: string[] = [];
      for (let next: number | null = five; next !== null && next <= now; ) {
        const due = dueWindows(minutely, next, now, 200);
        expect(due.windows.length).to.be.within(1, 200);
        for (const { window, mode } of due.windows) {
          starts.push(window.start);
          modes.push(mode);
        }
        next = due.next;
      }
      expect(starts).to.deep.equal(Array.from({ length: passed + 1 }, (_, index) => five + index * minute));
      expect(modes).to.deep.equal([...Array(passed - run).fill('missed'), ...Array(run).fill('caught_up'), 'normal']);
    });

  it('of a batch that ends with the current one leave the next for later', () => {
    const due = dueWindows(template({ catch_up: 'latest' }), five, five + 199 * hour, 200);
    expect(due.windows).to.have.lengthOf(200);
    expect(due.windows.at(-1)?.mode).to.equal('normal');
    expect(due.windows.at(-2)?.mode).to.equal('caught_up');
    expect(due.next).to.equal(five + 200 * hour);
  });
});

describe('The first window owed', () => {
  it('starts at that moment or after it', () => {
    expect(owedAfter(template({}), five)).to.equal(five);
    expect(owedAfter(template({}), five + 1)).to.equal(five + hour);
  });

  it('waits for the template to start', () => {
    expect(owedAfter(template({ starts_at: five + 90 * minute }), five)).to.equal(five + 2 * hour);
    expect(owedAfter(template({ starts_at: five - hour }), five)).to.equal(five);
  });

  it('does not come once the template has ended', () => {
    expect(owedAfter(template({ ends_at: five + hour }), five + 1)).to.equal(null);
    expect(owedAfter(template({ ends_at: five + hour + 1 }), five + 1)).to.equal(five + hour);
  });
});
