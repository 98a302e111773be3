import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { summarizeTasks } from '#core/task/task-summary';
import { openTestStore } from '../../support/store/test-store.ts';

describe('A summary of Tasks', () => {
  it('lets other work be done between its days', async () => {
    const store = openTestStore(new StandingClock());
    let turns = 0;
    const count = () => {
      turns += 1;
      waiting = setImmediate(count);
    };
    let waiting = setImmediate(count);
    const year = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31), timezone: 'UTC' };
    await store.transaction((tables) => summarizeTasks(tables, [], year), { readOnly: true });
    clearImmediate(waiting);
    expect(turns).to.be.at.least(364);
  });
});
