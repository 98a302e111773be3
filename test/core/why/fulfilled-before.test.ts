import { memoryStore, type TaskState } from '@horarium/core';
import { expect } from 'chai';
import { fulfilledBefore } from '#core/why/fulfilled-before';
import { TimelineWorld } from '../timeline/timeline-world.ts';

const hour = 3_600_000;
const windows = 1100;

describe('The number of Tasks that were fulfilled right before one', () => {
  const store = memoryStore();
  const world = new TimelineWorld(store);
  let company_id: number;
  before(async () => {
    company_id = await world.company('Acme');
  });

  /** Counts before the last of 1,100 windows of a template, of which one is in another state. */
  async function countWith(state: TaskState, at: number): Promise<number | null> {
    const runtemplate_id = await world.template(company_id);
    await world.tasks(
      Array.from({ length: windows }, (_, index) => {
        const start = index * hour;
        const window = { window_start: start, window_end: start + hour, deadline: start + hour };
        return {
          runtemplate_id,
          company_id,
          ...window,
          state: index === at ? state : 'fulfilled',
          ended_at: start + 1,
        };
      }),
    );
    const window_start = (windows - 1) * hour;
    return store.transaction((tables) => fulfilledBefore(tables, { runtemplate_id, window_start }));
  }

  it('ends at the one that was not, however far back that is', async () => {
    for (const count of [0, 1, 9, 10, 11, 49, 50, 51, 700, 999])
      expect(await countWith('failed', windows - 2 - count)).to.equal(count);
    expect(await countWith('fulfilled_late', windows - 6)).to.equal(4);
  });

  it('is 1000 where there are more, and null where there is none', async () => {
    expect(await countWith('fulfilled', 0)).to.equal(1000);
    const runtemplate_id = await world.template(company_id);
    expect(
      await store.transaction((tables) => fulfilledBefore(tables, { runtemplate_id, window_start: hour })),
    ).to.equal(null);
  });
});
