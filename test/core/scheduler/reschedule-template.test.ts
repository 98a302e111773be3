import { Schedule, Task } from '@horarium/core';
import { expect } from 'chai';
import { SchedulingWorld } from '../../support/scheduling-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const five = Date.UTC(2026, 10, 21, 5);

describe('A template that is changed', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  /** `05:00 open, 06:00 missed` */
  const told = async () =>
    (await world.allTasks())
      .map((task) => `${new Date(task.window_start).toISOString().slice(11, 16)} ${task.state}`)
      .join(', ');
  const nextOf = async (id: number) =>
    (await world.audited.read((tables) => tables.of(Schedule).find({ where: [['runtemplate_id', '=', id]] })))[0]
      ?.next_window;

  it('owes from the window on that begins when it is activated', async () => {
    const { id } = await world.template({ active: false });
    expect(await nextOf(id)).to.equal(null);
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal(five);
    await world.time.pass(1);
    await world.edit(id, { active: false });
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal(five + hour);
  });

  it('owes nothing of the time it was inactive', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.time.pass(10 * minute);
    await world.edit(id, { active: false });
    await world.time.pass(3 * hour);
    await world.schedule();
    await world.edit(id, { active: true });
    await world.time.pass(hour);
    await world.schedule();
    expect(await told()).to.equal('05:00 cancelled, 09:00 open');
  });

  it('begins its new cadence after the change, also when both cadences begin a window at that moment', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.edit(id, { interval: 'custom', cron: '*/30 * * * *' });
    expect(await told()).to.equal('05:00 cancelled');
    expect(await nextOf(id)).to.equal(five + 30 * minute);
    expect((await world.job(1)).state).to.equal('cancelled');
  });

  it('lifts the current window and misses the passed ones when its cadence changes before they were scheduled', async () => {
    const { id } = await world.template({ catch_up: 'all' });
    await world.time.pass(2 * hour + minute);
    await world.edit(id, { interval: 'daily' });
    await world.schedule();
    expect(await told()).to.equal('05:00 missed, 06:00 missed, 07:00 cancelled');
  });

  for (const change of ['starts_at', 'ends_at'] as const)
    it(`meets windows as if the scheduler had come first when only ${change} changes before they were scheduled`, async () => {
      const { id } = await world.template({ catch_up: 'latest' });
      await world.time.pass(3 * hour + minute);
      await world.edit(id, { [change]: five + 5 * hour });
      expect(await told()).to.equal('05:00 missed, 06:00 missed, 07:00 open, 08:00 open');
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

    it('gives the passed windows their Tasks in batches, by the rules they began under', async () => {
      const id = await outage({ catch_up: 'all' });
      await world.edit(id, { interval: 'daily', max_attempts: 3 });
      expect(await world.ledger()).to.equal('200 missed');
      await world.scheduler.tick();
      expect(await world.ledger()).to.equal('400 missed');
      await world.schedule();
      expect(await world.ledger()).to.equal('1000 missed, 1 cancelled');
      const tasks = await world.allTasks();
      expect(tasks.map((task) => task.window_start)).to.deep.equal(tasks.map((_, index) => five + index * minute));
      expect(tasks.filter((task) => task.max_attempts !== 1)).to.deep.equal([]);
      expect(await nextOf(id)).to.equal(five + 19 * hour);
      expect(await world.scheduler.tick()).to.equal(1000);
    });

    it('runs what it would have run when its cadence stays, however long that takes to write', async () => {
      const id = await outage({ catch_up: 'latest' });
      await world.edit(id, { ends_at: five + 100 * hour });
      await world.time.pass(20_000);
      await world.schedule();
      expect(await world.ledger()).to.equal('999 missed, 1 open caught up, 1 open');
      expect(await world.allJobs()).to.have.lengthOf(2);
    });

    it('runs nothing of it any more when it is switched off meanwhile', async () => {
      const id = await outage({ catch_up: 'all' });
      await world.edit(id, { ends_at: five + 100 * hour });
      expect(await world.ledger()).to.equal('200 open caught up');
      await world.edit(id, { active: false });
      await world.schedule();
      expect(await world.ledger()).to.equal('200 cancelled caught up, 800 missed, 1 cancelled');
      expect((await world.allJobs()).filter((job) => job.state !== 'cancelled')).to.deep.equal([]);
      expect(await nextOf(id)).to.equal(null);
    });
  });

  it('does not owe windows after the fact because its end was put off', async () => {
    const { id } = await world.template({ ends_at: five + hour });
    await world.time.pass(3 * hour + minute);
    await world.edit(id, { ends_at: null });
    await world.schedule();
    expect(await told()).to.equal('05:00 open');
    expect(await nextOf(id)).to.equal(five + 4 * hour);
  });

  it('leaves its schedule alone when something else changes', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.edit(id, { note: 'seen', deadline: '+30m' });
    expect(await told()).to.equal('05:00 open');
    expect((await world.task(1)).deadline).to.equal(five + hour);
    expect(await nextOf(id)).to.equal(five + hour);
  });

  it('lets a Task that was begun go on under a new cadence, but not when it is switched off', async () => {
    const { id } = await world.template({});
    await world.schedule();
    await world.audited.transaction(world.actor, async (tables) => {
      const row = (await tables.of(Task).find())[0];
      if (row) await tables.of(Task).update([{ row, set: { attempts: 1 } }]);
    });
    await world.edit(id, { interval: 'daily' });
    expect(await told()).to.equal('05:00 open');
    await world.edit(id, { active: false });
    expect(await told()).to.equal('05:00 cancelled');
  });
});
