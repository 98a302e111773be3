import { describeFailedJob, describeUnmetTask, type FailedJob, functions, type UnmetTask } from '@horarium/core';
import { expect } from 'chai';
import { eventually } from '../../../support/mocha/eventually.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

describe('The notes of failures', () => {
  const tasks: UnmetTask[] = [];
  const jobs: FailedJob[] = [];
  let core: MemoryCore;

  beforeEach(async () => {
    tasks.length = 0;
    jobs.length = 0;
    const executors = [functions({ breaks: () => Promise.reject(new Error('no stock')), works: () => undefined })];
    core = new MemoryCore({ executors });
    core.failures.taskUnmet = (task: UnmetTask) => tasks.push(task);
    core.failures.jobFailed = (job: FailedJob) => jobs.push(job);
    await core.start();
  });
  afterEach(() => core.stop(0));

  async function template(executable: string, fields: object = {}): Promise<number> {
    const actor = core.actor('test');
    const app = await core.apps.save(actor, { name: executable, executable });
    const company = await core.companies.save(actor, { code: 'acme', name: 'Acme' });
    const own = { name: executable, app_id: app.id, company_id: company.id, executor: 'function' };
    return (await core.runTemplates.save(actor, { ...own, interval: 'hourly', ...fields })).id;
  }

  /** Moves to the next hour, and has the scheduler look at the template. */
  async function nextHour(id: number): Promise<void> {
    const hour = 3_600_000;
    core.clock.advance(hour - (core.clock.now() % hour));
    await core.runTemplates.save(core.actor('test'), { id, note: `at ${core.clock.now()}` });
  }

  it('name each attempt that fails, and the Task when none is left', async () => {
    const id = await template('breaks', { max_attempts: 2 });
    await nextHour(id);
    await eventually('the Task fails', () => tasks.length > 0);
    expect(jobs.map(({ attempt, state, exit_code }) => [attempt, state, exit_code])).to.deep.equal([
      [1, 'failed', 1],
      [2, 'failed', 1],
    ]);
    expect(describeFailedJob(jobs[0] as FailedJob)).to.match(
      new RegExp(`^Job \\d+ of RunTemplate ${id}, attempt 1, failed: no stock$`),
    );
    const [task] = tasks as [UnmetTask];
    expect(tasks).to.have.lengthOf(1);
    expect(describeUnmetTask(task)).to.match(new RegExp(`^Task \\d+ of RunTemplate ${id} for 20\\S+Z failed: `));
  });

  it('name each Task that was missed', async () => {
    const id = await template('works', { catch_up: 'none' });
    core.clock.advance(3 * 3_600_000);
    await nextHour(id);
    await eventually('the backlog is written', () => tasks.length >= 3);
    expect(new Set(tasks.map(({ state }) => state))).to.deep.equal(new Set(['missed']));
    expect(describeUnmetTask(tasks[0] as UnmetTask)).to.contain(' was missed: ');
  });

  it('name a backfilled Task that fails, and none that succeeds', async () => {
    const hour = 3_600_000;
    for (const executable of ['works', 'breaks']) {
      const id = await template(executable);
      const now = core.clock.now();
      await core.backfill(core.actor('test'), id, { from: now - 2 * hour, to: now - hour });
    }
    await eventually('the Task fails', () => tasks.length > 0);
    const states = async () => (await core.tasks.list(core.actor('test'))).rows.map(({ state }) => state);
    await eventually('the other Task is fulfilled', async () => (await states()).includes('fulfilled_late'));
    expect(tasks.map(({ state }) => state)).to.deep.equal(['failed']);
  });

  it('name nothing that succeeds in time', async () => {
    const id = await template('works');
    await nextHour(id);
    const succeeded = async () =>
      (await core.jobs.list(core.actor('test'))).rows.some(({ state }) => state === 'succeeded');
    await eventually('the job succeeds', succeeded);
    expect([...tasks, ...jobs]).to.deep.equal([]);
  });
});
