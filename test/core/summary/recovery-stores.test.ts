import type { TaskRow, TaskState } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { maxFulfilledSince, notRecovered, type Recovery, withRecoveries } from '#core/summary/recovery';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { TimelineWorld } from '../timeline/timeline-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const from = Date.UTC(2026, 10, 20);

const states = fc.constantFrom<TaskState>(
  'fulfilled',
  'fulfilled',
  'fulfilled_late',
  'failed',
  'missed',
  'cancelled',
  'open',
);
/** The windows of three templates, one after the other. */
const made = fc.array(fc.array(states, { maxLength: 12 }), { minLength: 3, maxLength: 3 });

const unmet: readonly TaskState[] = ['failed', 'missed'];
const fulfilled: readonly TaskState[] = ['fulfilled', 'fulfilled_late'];

for (const [kind, open] of Object.entries(storeKinds))
  describe(`What a summary tells of templates that have recovered, from the store ${kind}`, () => {
    let opened: OpenedStore;
    let world: TimelineWorld;

    before(async () => {
      opened = await open();
      world = new TimelineWorld(opened.store);
    });
    after(() => opened.close());

    const recoveriesOf = (last: ReadonlyMap<number, number>) =>
      opened.store.transaction(
        (tables) =>
          withRecoveries(
            tables,
            [...last].map(([runtemplate_id, window_start]) => ({ runtemplate_id, window_start, ...notRecovered })),
            last,
          ),
        { readOnly: true },
      );

    it('is the number of windows that were fulfilled since, in time or late, and when the first of them was', async () => {
      const company = await world.company('Acme');
      const ids = [await world.template(company), await world.template(company), await world.template(company)];
      const property = fc.asyncProperty(made, async (histories) => {
        await world.clear();
        const last = new Map<number, number>();
        const expected: (Recovery & { readonly runtemplate_id: number; readonly window_start: number })[] = [];
        const rows: Partial<TaskRow>[] = [];
        for (const [template, history] of histories.entries()) {
          const runtemplate_id = ids[template] as number;
          const start = (index: number) => from + template * 20 * minute + index * hour;
          for (const [index, state] of history.entries()) {
            const window_start = start(index);
            const ended_at = state === 'open' ? null : window_start + minute;
            const fulfilled_at = fulfilled.includes(state) ? ended_at : null;
            const window = { window_start, window_end: window_start + hour, deadline: window_start + hour };
            rows.push({ runtemplate_id, company_id: company, ...window, state, ended_at, fulfilled_at });
          }
          const lastUnmet = history.findLastIndex((state) => unmet.includes(state));
          if (lastUnmet === -1) continue;
          last.set(runtemplate_id, start(lastUnmet));
          const isFulfilled = (index: number) => fulfilled.includes(history[index] as TaskState);
          const later = [...history.keys()].filter((index) => index > lastUnmet && isFulfilled(index));
          const recovered_at = later.length === 0 ? null : start(later[0] as number) + minute;
          const window_start = start(lastUnmet);
          expected.push({ runtemplate_id, window_start, recovered_at, fulfilled_since: later.length });
        }
        await world.tasks(rows);
        expect(await recoveriesOf(last)).to.deep.equal(expected);
      });
      await fc.assert(property, { numRuns: 20 });
    });

    it('is found of a template whose windows are rare beside those of another one, which are counted up to a hundred', async () => {
      const company = await world.company('Other');
      const [often, rare] = [await world.template(company), await world.template(company)];
      const row = (runtemplate_id: number, index: number): Partial<TaskRow> => {
        const window_start = from + index * minute;
        const window = { window_start, window_end: window_start + minute, deadline: window_start + minute };
        return { runtemplate_id, company_id: company, ...window, state: 'fulfilled', fulfilled_at: window_start + 1 };
      };
      const count = 250;
      await world.tasks([...Array.from({ length: count }, (_, index) => row(often, index)), row(rare, count)]);
      const last = new Map([often, rare].map((template) => [template, from - minute]));
      expect(await recoveriesOf(last)).to.deep.equal([
        {
          runtemplate_id: often,
          window_start: from - minute,
          recovered_at: from + 1,
          fulfilled_since: maxFulfilledSince,
        },
        {
          runtemplate_id: rare,
          window_start: from - minute,
          recovered_at: from + count * minute + 1,
          fulfilled_since: 1,
        },
      ]);
    });
  });
