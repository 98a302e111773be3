import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { summarizeTasks } from '#core/task/task-summary';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('A summary of Tasks', () => {
  it('lets other work be done between its days', async () => {
    const store = openTestStore(new StandingClock());
    const year = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31), timezone: 'UTC' };
    const summarize = () => store.transaction((tables) => summarizeTasks(tables, [], year), { readOnly: true });
    const { turns } = await inSingleSteps(summarize);
    expect(turns).to.be.at.least(364);
  });
});
