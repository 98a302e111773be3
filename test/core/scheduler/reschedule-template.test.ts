import { Task } from '@horarium/core';
import { expect } from 'chai';
import { Schedule } from '#core/template/schedule';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const five = Date.UTC(2026, 10, 21, 5);

describe('A changed template', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  /** The window starts and states of all Tasks: `05:00 open, 06:00 missed`. */
  const tasks = async () =>
    (await world.allTasks())
      .map((task) => `${new Date(task.window_start).toISOString().slice(11, 16)} ${task.state}`)
      .join(', ');
  const nextOf = async (id: number) =>
    (await world.audited.read((tables) => tables.of(Schedule).find({ where: [['runtemplate_id', '=', id]] })))[0]
      ?.next_window;

  it('owes the first window that starts at or after its activation', async () => {
    const { id } = await world.template({ active: false });
    expect(await nextOf(id)).to.equal(null);
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal(five);
    await world.time.pass(1);
    await world.edit(id, { active: false });
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal(five + hour);
  });

  it('does not owe the windows that began while it was inactive', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.time.pass(10 * minute);
    await world.edit(id, { active: false });
    await world.time.pass(3 * hour);
    await world.schedule();
    await world.edit(id, { active: true });
    await world.time.pass(hour);
    await world.schedule();
    expect(await tasks()).to.equal('05:00 cancelled, 09:00 open');
  });

  it('begins a new cadence after the change, even when both cadences begin a window at that moment', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.edit(id, { interval: 'custom', cron: '*/30 * * * *' });
    expect(await tasks()).to.equal('05:00 cancelled');
    expect(await nextOf(id)).to.equal(five + 30 * minute);
    expect((await world.job(1)).state).to.equal('cancelled');
  });

  const daily = { interval: 'daily' } as const;
  const custom = { interval: 'custom', cron: '0 * * * *' } as const;
  for (const [before, change, reason] of [
    [daily, { interval: 'hourly' }, 'the interval of the template was changed'],
    [custom, { cron: '0,30 * * * *' }, 'the cron of the template was changed'],
    [daily, { timezone: 'Asia/Tokyo' }, 'the timezone of the template was changed'],
    [custom, { interval: 'hourly', cron: null }, 'the interval and cron of the template were changed'],
    [daily, { ...custom, timezone: 'Asia/Tokyo' }, 'the interval, cron, and timezone of the template were changed'],
  ] as const)
    it(`cancels its unstarted Tasks with the reason "${reason}"`, async () => {
      const { id } = await world.template({ ...before, starts_at: five - 24 * hour });
      await world.time.pass(24 * hour);
      await world.schedule();
      await world.edit(id, change);
      expect((await world.allTasks()).at(-1)).to.include({ state: 'cancelled', reason });
      expect((await world.allJobs()).at(-1)).to.include({ state: 'cancelled', reason });
    });

  it('cancels the current window and misses the passed ones when its cadence changes before they were scheduled', async () => {
    const { id } = await world.template({ catch_up: 'all' });
    await world.time.pass(2 * hour + minute);
    await world.edit(id, { interval: 'daily' });
    await world.schedule();
    expect(await tasks()).to.equal('05:00 missed, 06:00 missed, 07:00 cancelled');
  });

  for (const change of ['starts_at', 'ends_at'] as const)
    it(`schedules windows that are already due under the old ${change} when only that field changes`, async () => {
      const { id } = await world.template({ catch_up: 'latest' });
      await world.time.pass(3 * hour + minute);
      await world.edit(id, { [change]: five + 5 * hour });
      expect(await tasks()).to.equal('05:00 missed, 06:00 missed, 07:00 open, 08:00 open');
      expect((await world.allTasks()).map((task) => task.caught_up)).to.deep.equal([false, false, true, false]);
      expect(await world.allJobs()).to.have.lengthOf(2);
      expect(await nextOf(id)).to.equal(change === 'starts_at' ? five + 5 * hour : five + 4 * hour);
    });

  describe('after an outage of a thousand minutes', () => {
    const outage = async (given: Parameters<typeof world.template>[0]) => {
      const { id } = await world.template({ interval: 'minutely', ...given });
      await world.time.pass(1000 * minute + 30_000);
      return id;
    };

    it('creates the Tasks of passed windows in batches, with the limits that it had when they began', async () => {
      const id = await outage({ catch_up: 'all' });
      await world.edit(id, { interval: 'daily', max_attempts: 3 });
      expect(await world.taskStates()).to.equal('200 missed');
      await world.scheduler.tick();
      expect(await world.taskStates()).to.equal('300 missed');
      await world.schedule();
      expect(await world.taskStates()).to.equal('1000 missed, 1 cancelled');
      const all = await world.allTasks();
      expect(all.map((task) => task.window_start)).to.deep.equal(all.map((_, index) => five + index * minute));
      expect(all.filter((task) => task.max_attempts !== 1)).to.deep.equal([]);
      expect(await nextOf(id)).to.equal(five + 19 * hour);
      expect(await world.scheduler.tick()).to.equal(1000);
    });

    it('catches up the same windows when its cadence stays, however many ticks that takes', async () => {
      const id = await outage({ catch_up: 'latest' });
      await world.edit(id, { ends_at: five + 100 * hour });
      await world.time.pass(20_000);
      await world.schedule();
      expect(await world.taskStates()).to.equal('999 missed, 1 open caught up, 1 open');
      expect(await world.allJobs()).to.have.lengthOf(2);
    });

    it('catches up also the window that was current at the change when that has passed before its turn', async () => {
      const id = await outage({ catch_up: 'all' });
      await world.edit(id, { ends_at: five + 100 * hour });
      await world.time.pass(2 * minute);
      await world.schedule();
      expect(await world.taskStates()).to.equal('1002 open caught up, 1 open');
    });

    it('catches up no further window when it is deactivated meanwhile', async () => {
      const id = await outage({ catch_up: 'all' });
      await world.edit(id, { ends_at: five + 100 * hour });
      expect(await world.taskStates()).to.equal('200 open caught up');
      await world.edit(id, { active: false });
      await world.schedule();
      expect(await world.taskStates()).to.equal('200 cancelled caught up, 800 missed, 1 cancelled');
      expect((await world.allJobs()).filter((job) => job.state !== 'cancelled')).to.deep.equal([]);
      expect(await nextOf(id)).to.equal(null);
    });
  });

  it('does not owe passed windows because its end was postponed', async () => {
    const { id } = await world.template({ ends_at: five + hour });
    await world.time.pass(3 * hour + minute);
    await world.edit(id, { ends_at: null });
    await world.schedule();
    expect(await tasks()).to.equal('05:00 open');
    expect(await nextOf(id)).to.equal(five + 4 * hour);
  });

  it('keeps its schedule and the limits of its Tasks when another field changes', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.edit(id, { note: 'seen', deadline: '+30m' });
    expect(await tasks()).to.equal('05:00 open');
    expect((await world.task(1)).deadline).to.equal(five + hour);
    expect(await nextOf(id)).to.equal(five + hour);
  });

  it('keeps a Task that has had an attempt under a new cadence, but cancels it when it is deactivated', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.audited.transaction(world.actor, async (tables) => {
      const row = (await tables.of(Task).find())[0];
      if (row) await tables.of(Task).update([{ row, set: { attempts: 1 } }]);
    });
    await world.edit(id, { interval: 'daily' });
    expect(await tasks()).to.equal('05:00 open');
    await world.edit(id, { active: false });
    expect(await tasks()).to.equal('05:00 cancelled');
  });
});
