import { Job, type JobRow, Task, type TaskRow } from '@horarium/core';
import { expect } from 'chai';
import { followers, notedEvents } from '#core/delivery/noted-events';
import { newRow } from '#core/store/table';

describe('What a change of state tells', () => {
  const task = (state: TaskRow['state'], attempts = 0): TaskRow =>
    ({ ...newRow(Task, { runtemplate_id: 1, company_id: 1, state, attempts }), id: 5 }) as TaskRow;
  const backfilled = (state: TaskRow['state']): TaskRow => ({ ...task(state, 1), backfilled: true });
  const job = (state: JobRow['state'], fields: Partial<JobRow> = {}): JobRow =>
    ({ ...newRow(Job, { runtemplate_id: 1, company_id: 1, state, ...fields }), id: 9 }) as JobRow;
  const calm = { failures: 0, since: null };
  const failing = { failures: 2, since: 1000 };

  const tasks: readonly (readonly [what: string, before: TaskRow | null, after: TaskRow, lists: string[]])[] = [
    ['the first attempt of a Task starts', task('open'), task('running', 1), ['on_start']],
    ['a retry starts', task('open', 1), task('running', 2), []],
    ['an attempt fails that is retried', task('running', 1), task('open', 1), []],
    ['a Task is fulfilled', task('running', 1), task('fulfilled', 1), ['on_success']],
    ['a Task is fulfilled late', task('running', 1), task('fulfilled_late', 1), ['on_success', 'on_late']],
    ['a Task fails', task('running', 3), task('failed', 3), ['on_failure']],
    ['a Task is missed', task('open'), task('missed'), ['on_missed']],
    ['a Task is created as missed', null, task('missed'), ['on_missed']],
    ['a Task is cancelled', task('running', 1), task('cancelled', 1), []],
    ['an ended Task is changed otherwise', task('failed', 1), task('failed', 2), []],
    ['a repetition of a missed Task starts', task('missed'), task('missed', 1), ['on_start']],
    ['a repetition succeeds', task('failed', 2), task('fulfilled_late', 2), ['on_success', 'on_late']],
    ['a backfilled Task is fulfilled', backfilled('running'), backfilled('fulfilled_late'), ['on_success']],
    ['a backfilled Task fails', backfilled('running'), backfilled('failed'), ['on_failure']],
    ['a Task starts and ends at once', task('open'), task('fulfilled', 1), ['on_start', 'on_success']],
  ];
  for (const [what, before, after, lists] of tasks)
    it(`is ${lists.join(' and ') || 'nothing'} when ${what}`, () => {
      const events = notedEvents([{ before, after }], []);
      expect(events.flatMap((event) => followers(event, calm, 0).lists)).to.deep.equal(lists);
    });

  const started = { started_at: 1 };
  const jobs: readonly (readonly [what: string, before: JobRow | null, after: JobRow, lists: string[]])[] = [
    ['an ad hoc job is scheduled', null, job('scheduled'), []],
    ['an ad hoc job starts', job('scheduled'), job('running', started), ['on_start']],
    ['an ad hoc job succeeds', job('running', started), job('succeeded', started), ['on_success']],
    ['an ad hoc job fails', job('running', started), job('failed', started), ['on_failure']],
    ['an ad hoc job times out', job('running', started), job('timed_out', started), ['on_failure']],
    ['an ad hoc job is lost', job('running', started), job('lost', started), ['on_failure']],
    ['an ad hoc job is cancelled', job('running', started), job('cancelled', started), []],
    ['an ad hoc job is skipped', job('scheduled'), job('skipped'), []],
    ['a job of a Task fails', job('running', { task_id: 5 }), job('failed', { task_id: 5 }), []],
    ['a job is deleted', job('failed'), null as unknown as JobRow, []],
  ];
  for (const [what, before, after, lists] of jobs)
    it(`is ${lists.join(' and ') || 'nothing'} when ${what}`, () => {
      const events = notedEvents([], [{ before, after }]);
      expect(events.flatMap((event) => followers(event, calm, 0).lists)).to.deep.equal(lists);
    });

  it('is a recovery when a success follows failures or missed Tasks', () => {
    const [success] = notedEvents([{ before: task('running', 1), after: task('fulfilled', 1) }], []);
    const [missed] = notedEvents([{ before: task('open'), after: task('missed') }], []);
    expect(followers(success as never, failing, 5000)).to.deep.equal({
      streak: calm,
      lists: ['on_success', 'on_recovered'],
    });
    expect(followers(missed as never, failing, 5000).streak).to.deep.equal({ failures: 3, since: 1000 });
    expect(followers(missed as never, calm, 5000).streak).to.deep.equal({ failures: 1, since: 5000 });
  });

  it('names the attempt that decided the Task', () => {
    const attempt = job('failed', { task_id: 5, exit_code: 3, started_at: 1 });
    const changes = [{ before: task('running', 1), after: task('failed', 1) }];
    expect(notedEvents(changes, [{ before: attempt, after: attempt }])[0]?.job).to.equal(attempt);
  });
});
