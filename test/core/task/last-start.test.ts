import { lastStart } from '@horarium/core';
import { expect } from 'chai';

const task = { deadline: 1000, window_end: 2000, allow_late: false, caught_up: false };

describe('The last moment to start an attempt', () => {
  it('is the deadline', () => expect(lastStart(task)).to.equal(1000));
  it('is the end of the window where late successes count', () =>
    expect(lastStart({ ...task, allow_late: true })).to.equal(2000));
  it('does not come after downtime', () => {
    expect(lastStart({ ...task, caught_up: true })).to.equal(null);
    expect(lastStart({ ...task, caught_up: true, allow_late: true })).to.equal(null);
  });
});
