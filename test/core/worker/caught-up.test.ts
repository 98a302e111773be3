import type { JobRow, RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import type { Runner } from '#core/worker/runner';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const minute = 60_000;

describe('Jobs that are caught up after an outage', () => {
  let world: RunnerWorld;
  let runner: Runner;

  beforeEach(() => {
    world = new RunnerWorld();
    runner = world.worker();
  });

  /** Lets that long pass without a scheduler, and then schedules what passed and what is current. */
  async function outage(minutes: number): Promise<void> {
    await world.time.pass(minutes * minute);
    await world.schedule();
  }

  async function started(): Promise<JobRow[]> {
    const jobs = new Map((await world.allJobs()).map((job) => [job.id, job]));
    return world.executor.started.map((id) => jobs.get(id) as JobRow);
  }

  /** Ends one job after the other until none is due. */
  async function runAll(): Promise<JobRow[]> {
    for (let ended = 0; ; ended += 1) {
      await runUntilIdle(runner);
      const next = world.executor.started[ended];
      if (next === undefined) return started();
      await world.executor.end(next);
    }
  }

  const triggersAndTimes = (jobs: readonly JobRow[]) =>
    jobs.map(({ trigger, scheduled_at }) => `${trigger} ${new Date(scheduled_at).toISOString().slice(11, 16)}`);

  it('start after the one of the current window, the oldest first', async () => {
    await world.template({ interval: 'minutely', catch_up: 'all' });
    await outage(4);
    expect(triggersAndTimes(await runAll())).to.deep.equal([
      'schedule 05:04',
      'catch_up 05:00',
      'catch_up 05:01',
      'catch_up 05:02',
      'catch_up 05:03',
    ]);
  });

  it('let the one of a window that begins while they wait start before them', async () => {
    await world.template({ interval: 'minutely', catch_up: 'all' });
    await outage(3);
    await runUntilIdle(runner);
    await world.executor.end(world.executor.started[0] as number);
    for (let passed = 0; passed < minute; passed += 2000) {
      await runUntilIdle(runner);
      await world.time.pass(2000);
    }
    await world.schedule();
    await runUntilIdle(runner);
    await world.executor.end(world.executor.started[1] as number);
    await runUntilIdle(runner);
    expect(triggersAndTimes(await started())).to.deep.equal(['schedule 05:03', 'catch_up 05:00', 'schedule 05:04']);
  });

  it('start after those that are owed now of other templates, whatever their priorities', async () => {
    await world.template({ interval: 'hourly', catch_up: 'all', overlap: 'allow', priority: 9 });
    const owed: RunTemplateRow[] = [];
    for (let made = 0; made < 10; made += 1)
      owed.push(await world.template({ interval: 'custom', cron: '0 8 * * *', deadline: '+1m' }));
    await outage(3 * 60);
    await runUntilIdle(runner);
    expect((await started()).map(({ caught_up }) => caught_up)).to.deep.equal(Array.from({ length: 10 }, () => false));
  });

  it('of one company start after those that another one owes now', async () => {
    await world.template({ interval: 'hourly', catch_up: 'all', overlap: 'allow' });
    const company_id = await world.company('quiet');
    for (let made = 0; made < 8; made += 1)
      await world.template({ interval: 'custom', cron: '0 8 * * *', deadline: '+1m', company_id });
    await outage(3 * 60);
    await runUntilIdle(runner);
    const jobs = await started();
    expect(jobs.filter((job) => job.company_id === company_id)).to.have.length(8);
  });

  it('are retried after those that are owed now, too', async () => {
    await world.template({ interval: 'hourly', catch_up: 'latest', max_attempts: 2, overlap: 'allow' });
    await outage(2 * 60);
    await runUntilIdle(runner);
    const [caughtUp] = (await started()).filter((job) => job.trigger === 'catch_up');
    await world.executor.end(caughtUp?.id as number, 1);
    await runUntilIdle(runner);
    const [retry] = (await world.allJobs()).filter((job) => job.trigger === 'retry');
    expect(retry).to.have.property('caught_up', true);
  });
});
