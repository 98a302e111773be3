import { AuditLog, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { changesIn } from '#core/audit/shared-entries';
import { ManualExecutor } from '../../support/executors/manual-executor.ts';
import { ClockWorld } from '../../support/worlds/clock-world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const five = Date.UTC(2026, 10, 21, 5);

describe('A clock that was set back', () => {
  let world: ClockWorld;

  beforeEach(async () => {
    world = await ClockWorld.create();
  });

  /** Confirms a jump, so that windows ahead are scheduled, and sets the clock back to the right time after it. */
  const setBack = async (ahead: number, meanwhile = async () => {}) => {
    world.time.jump = ahead;
    await world.pass(2 * second);
    await world.confirm();
    await world.pass(2 * second);
    await meanwhile();
    world.time.jump = 0;
    await world.pass(2 * second);
  };

  it('deletes Tasks ahead of it that were not started, and schedules each again in its time', async () => {
    await world.template({ interval: 'minutely', catch_up: 'all' });
    await world.pass(30 * second);
    await setBack(10 * minute);
    expect(await world.windows()).to.deep.equal([0]);
    await world.pass(15 * minute);
    const [first, ...others] = await world.windows();
    expect([first, ...others]).to.deep.equal(Array.from({ length: 16 }, (_, index) => index));
    expect((await world.state()).repeatsUntil).to.equal(null);
    const tasks = await world.allTasks();
    expect(tasks.every((task) => task.created_at >= task.window_start)).to.equal(true);
  });

  it('schedules windows that begin before the scheduler has seen that it was set back', async () => {
    const { id } = await world.template({ interval: 'minutely', catch_up: 'none' });
    const { id: edited } = await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.pass(30 * second);
    world.time.jump = day;
    await world.pass(2 * second);
    await world.confirm();
    await world.pass(2 * second);
    world.time.jump = 0;
    await world.clockWatch.tick();
    await world.time.pass(5 * minute);
    await world.edit(edited, { ends_at: five + 8 * minute });
    await world.pass(minute);
    for (const template of [id, edited]) expect(await world.windows(template)).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
  });

  it('deletes missed Tasks ahead of it as well', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.pass(30 * second);
    await setBack(hour);
    expect(await world.windows()).to.deep.equal([0]);
  });

  it('creates a missed Task again whose deadline is ahead of it, unless the template owes that window no more', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.template({ interval: 'hourly', catch_up: 'none' });
    const inactive = await world.template({ interval: 'hourly', catch_up: 'none' });
    await world.schedule();
    const before = (await world.allTasks()).map(({ id }) => id);
    await setBack(day, async () => {
      expect(new Set((await world.allTasks()).slice(0, 3).map(({ state }) => state))).to.deep.equal(
        new Set(['missed']),
      );
      await world.edit(inactive.id, { active: false });
    });
    const current = (await world.allTasks()).filter((task) => task.window_start === five);
    expect(current.map(({ id, state }) => [before.includes(id), state])).to.deep.equal([
      [true, 'missed'],
      [false, 'open'],
      [false, 'open'],
    ]);
    expect((await world.allJobs()).filter((job) => job.state === 'scheduled')).to.have.length(2);
  });

  it('audits every deletion, of jobs too', async () => {
    await world.template({ interval: 'minutely', catch_up: 'all' });
    await setBack(3 * minute);
    const log = await world.audited.read((tables) => tables.of(AuditLog).find({ where: [['action', '=', 'delete']] }));
    expect(
      changesIn(log)
        .map(({ entity_type, actor, channel }) => `${entity_type} by ${actor} (${channel})`)
        .sort(),
    ).to.deep.equal(
      [...Array(4).fill('Job'), ...Array(4).fill('Task')].map((type) => `${type} by clock watch (system)`),
    );
  });

  it('leaves Tasks ahead of it that were started, and schedules none of them twice', async () => {
    const executor = new ManualExecutor();
    const runner = world.runner(executor);
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.pass(30 * second);
    await setBack(10 * minute, async () => {
      await runner.tick();
      await executor.end(executor.started[0] as number);
      await runner.tick();
    });
    expect(await world.windows()).to.deep.equal([0, 10]);
    await world.pass(12 * minute);
    const starts = await world.windows();
    expect(new Set(starts).size).to.equal(starts.length);
    expect(starts.length).to.equal(13);
    expect((await world.allTasks()).find((task) => task.window_start === five + 10 * minute)?.state).to.equal(
      'fulfilled',
    );
  });

  it('schedules a template that had ended by the clock as it was', async () => {
    await world.template({ interval: 'minutely', ends_at: five + 5 * minute, catch_up: 'none' });
    await world.pass(30 * second);
    await setBack(hour);
    await world.pass(6 * minute);
    expect(await world.windows()).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('lets every lease last as long as before, so that a dead worker is noticed', async () => {
    const executor = new ManualExecutor();
    const runner = world.runner(executor);
    await world.template({ interval: 'hourly' });
    await world.schedule();
    await setBack(day, async () => void (await runner.tick()));
    expect(executor.started).to.have.length(1);
    await world.pass(15 * second);
    while ((await world.reaper.tick()) === 0);
    const [lease] = await world.audited.read((tables) => tables.of(WorkerLease).find());
    expect(lease?.lost_at).to.be.a('number');
  });

  it('runs a requested job that was due no later than before', async () => {
    const { id } = await world.template({ interval: 'none' });
    await setBack(day, async () => void (await world.jobs.schedule(world.actor, { runtemplate_id: id })));
    const [job] = await world.allJobs();
    expect(job?.scheduled_at).to.be.at.most(await world.serviceNow());
    expect(job?.queue_at).to.equal(job?.scheduled_at);
  });

  it('forgets passed windows of a long outage that lie ahead of it', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.pass(30 * second);
    world.time.jump = day;
    await world.pass(2 * second);
    await world.confirm();
    await world.time.pass(second);
    await world.clockWatch.tick();
    await world.scheduler.tick();
    world.time.jump = 0;
    await world.pass(3 * minute);
    expect(await world.windows()).to.deep.equal([0, 1, 2, 3]);
  });
});
