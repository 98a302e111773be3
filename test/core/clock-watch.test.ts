import { AuditLog, trustedActor, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { ClockConfirmation } from '#core/clock-confirmation';
import type { ClockWatch } from '#core/clock-watch';
import { readClockState } from '#core/service-time/clock-state';
import { HostClock } from '../support/clocks/virtual-time.ts';
import { ManualExecutor } from '../support/executors/manual-executor.ts';
import { SchedulingWorld } from '../support/worlds/scheduling-world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const five = Date.UTC(2026, 10, 21, 5);
const admin = trustedActor('admin', 'cli');

describe('The clock watch', () => {
  let world: SchedulingWorld;

  beforeEach(async () => {
    world = new SchedulingWorld();
    await world.clockWatch.tick();
  });

  /** Lets time pass second by second, in which the clock watch and the scheduler tick. */
  const pass = async (duration: number) => {
    for (let passed = 0; passed < duration; passed += second) {
      await world.time.pass(second);
      while ((await world.clockWatch.tick()) === 0);
      await world.schedule();
    }
  };
  /** The starts of the windows with Tasks, in minutes after five. */
  const windows = async () => (await world.allTasks()).map((task) => (task.window_start - five) / minute);
  const state = () => world.store.transaction(readClockState, { readOnly: true });
  const confirm = () =>
    new ClockConfirmation(world.audited, (change) => void world.clockChanges.push(change)).confirm(admin);
  const serviceNow = () => world.audited.transaction(admin, (tables) => tables.now());

  describe('while the clock of the store is ahead', () => {
    it('schedules no window that only the jump has begun, and declares no Task missed', async () => {
      await world.template({ interval: 'minutely', catch_up: 'all' });
      await pass(2 * minute);
      world.time.jump = day;
      await pass(2 * minute + second);
      expect(await windows()).to.deep.equal([0, 1, 2, 3, 4]);
      expect(await world.taskStates()).to.equal('4 missed, 1 open');
      expect(await serviceNow()).to.equal(five + 4 * minute + second);
      expect(world.clockChanges.map(({ kind, by }) => [kind, by])).to.deep.equal([['held', day]]);
    });

    it('goes by the time without the jump before it has recorded it', async () => {
      await world.template({ interval: 'minutely' });
      await pass(30 * second);
      world.time.jump = day;
      await world.schedule();
      expect(await world.taskStates()).to.equal('1 open');
      expect(await serviceNow()).to.equal(five + 30 * second);
    });

    it('keeps the lease of every worker', async () => {
      const executor = new ManualExecutor();
      const runner = world.runner(executor);
      await world.template({ interval: 'hourly' });
      await world.schedule();
      await runner.tick();
      expect(executor.started).to.have.length(1);
      for (const jump of [day, 0]) {
        world.time.jump = jump;
        for (let tick = 0; tick < 20; tick++) {
          await runner.tick();
          await world.reaper.tick();
          await pass(second);
        }
      }
      expect(world.lostLeases).to.deep.equal([]);
      expect((await world.allJobs()).map((job) => job.state)).to.deep.equal(['running']);
    });

    it('goes on as if nothing had happened when the clock goes back', async () => {
      await world.template({ interval: 'minutely', catch_up: 'none' });
      await pass(minute);
      world.time.jump = day;
      await pass(2 * minute);
      world.time.jump = 0;
      await pass(2 * minute);
      expect(await windows()).to.deep.equal([0, 1, 2, 3, 4, 5]);
      expect(world.clockChanges.map(({ kind }) => kind)).to.deep.equal(['held', 'gone_back']);
      expect(await state()).to.include({ held: 0, repeatsUntil: null });
    });

    it('holds what is left of the jump when the clock goes back in part', async () => {
      world.time.jump = day;
      await pass(2 * second);
      world.time.jump = hour;
      await pass(2 * second);
      expect(await state()).to.include({ held: hour });
      expect(await serviceNow()).to.equal(five + 4 * second);
    });
  });

  describe('when the jump is confirmed', () => {
    const jumpAndConfirm = async () => {
      await pass(30 * second);
      world.time.jump = hour;
      await pass(5 * second);
      return confirm();
    };

    it('decides the windows in between as after downtime', async () => {
      await world.template({ interval: 'minutely', catch_up: 'latest' });
      await jumpAndConfirm();
      await pass(5 * second);
      expect(await world.taskStates()).to.equal('59 missed, 1 open caught up, 1 open');
      expect(await serviceNow()).to.equal(five + hour + 40 * second);
    });

    it('says who confirmed it, and by how much the clock was ahead', async () => {
      expect(await jumpAndConfirm()).to.deep.include({ kind: 'confirmed', by: hour, actor: 'admin' });
      expect(world.clockChanges.at(-1)).to.include({ kind: 'confirmed' });
      expect(await state()).to.include({ held: 0 });
    });

    it('lets every lease last as long as before', async () => {
      const executor = new ManualExecutor();
      const runner = world.runner(executor);
      await world.template({ interval: 'daily', timezone: 'UTC' });
      world.time.moveTo(Date.UTC(2026, 10, 22));
      await pass(second);
      await runner.tick();
      world.time.jump = hour;
      await pass(second);
      await confirm();
      await runner.tick();
      await world.reaper.tick();
      expect(world.lostLeases).to.deep.equal([]);
      expect((await world.allJobs()).map((job) => job.state)).to.deep.equal(['running']);
      const [lease] = await world.audited.read((tables) => tables.of(WorkerLease).find());
      expect(lease?.lease_until).to.equal((await serviceNow()) + 9 * second);
    });

    it('rejects a confirmation when the clock is not ahead', async () => {
      const failure = await confirm().catch((error) => error);
      expect(failure).to.include({ code: 'conflict' });
    });
  });

  it('takes a suspended machine for downtime', async () => {
    await world.template({ interval: 'minutely', catch_up: 'latest' });
    await pass(30 * second);
    world.time.suspend(hour);
    await pass(2 * second);
    expect(await world.taskStates()).to.equal('59 missed, 1 open caught up, 1 open');
    expect(world.clockChanges).to.deep.equal([]);
  });

  it('ignores the time of day of its own host', async () => {
    await world.template({ interval: 'minutely' });
    await pass(10 * second);
    world.clock.ahead = day;
    await pass(10 * second);
    world.clock.ahead = -day;
    await pass(10 * second);
    expect(world.clockChanges).to.deep.equal([]);
    expect(await world.taskStates()).to.equal('1 open');
  });

  describe('on several hosts', () => {
    let other: { clock: HostClock; watch: ClockWatch };

    beforeEach(async () => {
      const clock = new HostClock(world.time, 0, 'other boot');
      other = { clock, watch: world.newClockWatch(clock, 'host2') };
      await other.watch.tick();
    });

    it('records a jump once, and has both go by the same time', async () => {
      world.time.jump = day;
      await Promise.all([world.clockWatch.tick(), other.watch.tick()]);
      await Promise.all([world.clockWatch.tick(), other.watch.tick()]);
      expect(world.clockChanges).to.have.length(1);
      const times = await Promise.all([
        serviceNow(),
        other.watch.time.over(world.store).transaction((tables) => tables.now()),
      ]);
      expect(times).to.deep.equal([five, five]);
    });

    it('takes a pause of one virtual machine, in which another saw the clock go on, for no jump', async () => {
      for (let passed = 0; passed < 300; passed++) {
        await world.time.pass(second);
        await other.watch.tick();
      }
      world.clock.paused = 299 * second;
      world.time.suspended = 0;
      await world.clockWatch.tick();
      await world.clockWatch.tick();
      expect(world.clockChanges).to.deep.equal([]);
      expect(await serviceNow()).to.equal(five + 300 * second);
    });
  });

  describe('after a restart of the process', () => {
    const restart = async (boot = 'boot') => {
      const clock = boot === world.clock.boot ? world.clock : new HostClock(world.time, 0, boot);
      const watch = world.newClockWatch(clock);
      await watch.tick();
      return watch.time.over(world.store).transaction((tables) => tables.now());
    };

    it('takes the time in which it was down for downtime', async () => {
      await world.time.pass(hour);
      expect(await restart()).to.equal(five + hour);
    });

    it('holds a jump while it was down, within one boot of the machine', async () => {
      await world.time.pass(hour);
      world.time.jump = day;
      expect(await restart()).to.equal(five + hour);
    });

    it('takes a jump for downtime after another boot, because nothing tells them apart', async () => {
      world.time.jump = day;
      expect(await restart('other')).to.equal(five + day);
    });

    it('still holds a jump that was recorded before, whatever the boot', async () => {
      world.time.jump = day;
      await pass(2 * second);
      await world.time.pass(hour);
      expect(await restart()).to.equal(five + hour + 2 * second);
      expect(await restart('other')).to.equal(five + hour + 2 * second);
    });

    it('lets go of a jump when the clock went back while it was down', async () => {
      world.time.jump = day;
      await pass(2 * second);
      world.time.jump = 0;
      await world.time.pass(hour);
      expect(await restart('other')).to.equal(five + hour + 2 * second);
      expect(await state()).to.include({ held: 0 });
    });
  });

  describe('when the clock was set back', () => {
    /** Confirms a jump, so that windows ahead are scheduled, and sets the clock back to the right time after it. */
    const setBack = async (ahead: number, meanwhile = async () => {}) => {
      world.time.jump = ahead;
      await pass(2 * second);
      await confirm();
      await pass(2 * second);
      await meanwhile();
      world.time.jump = 0;
      await pass(2 * second);
    };

    it('deletes Tasks ahead of it that were not started, and schedules each again in its time', async () => {
      await world.template({ interval: 'minutely', catch_up: 'all' });
      await pass(30 * second);
      await setBack(10 * minute);
      expect(await windows()).to.deep.equal([0]);
      await pass(15 * minute);
      const [first, ...others] = (await windows()).sort((a, b) => a - b);
      expect([first, ...others]).to.deep.equal(Array.from({ length: 16 }, (_, index) => index));
      expect((await state()).repeatsUntil).to.equal(null);
      const tasks = await world.allTasks();
      expect(tasks.every((task) => task.created_at >= task.window_start)).to.equal(true);
    });

    it('schedules windows that begin before the scheduler has seen that it was set back', async () => {
      const { id } = await world.template({ interval: 'minutely', catch_up: 'none' });
      const { id: edited } = await world.template({ interval: 'minutely', catch_up: 'none' });
      await pass(30 * second);
      world.time.jump = day;
      await pass(2 * second);
      await confirm();
      await pass(2 * second);
      world.time.jump = 0;
      await world.clockWatch.tick();
      await world.time.pass(5 * minute);
      await world.edit(edited, { ends_at: five + 8 * minute });
      await pass(minute);
      for (const template of [id, edited]) {
        const own = (await world.allTasks()).filter((task) => task.runtemplate_id === template);
        const starts = own.map((task) => (task.window_start - five) / minute).sort((a, b) => a - b);
        expect(starts).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
      }
    });

    it('deletes missed Tasks ahead of it as well', async () => {
      await world.template({ interval: 'minutely', catch_up: 'none' });
      await pass(30 * second);
      await setBack(hour);
      expect(await windows()).to.deep.equal([0]);
    });

    it('creates a missed Task again whose deadline is ahead of it, unless the template owes that window no more', async () => {
      const [, , inactive] = [
        await world.template({ interval: 'minutely', catch_up: 'none' }),
        await world.template({ interval: 'hourly', catch_up: 'none' }),
        await world.template({ interval: 'hourly', catch_up: 'none' }),
      ];
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
      const log = await world.audited.read((tables) =>
        tables.of(AuditLog).find({ where: [['action', '=', 'delete']] }),
      );
      expect(
        log.map(({ entity_type, actor, channel }) => `${entity_type} by ${actor} (${channel})`).sort(),
      ).to.deep.equal(
        [...Array(4).fill('Job'), ...Array(4).fill('Task')].map((type) => `${type} by clock watch (system)`),
      );
    });

    it('leaves Tasks ahead of it that were started, and schedules none of them twice', async () => {
      const executor = new ManualExecutor();
      const runner = world.runner(executor);
      await world.template({ interval: 'minutely', catch_up: 'none' });
      await pass(30 * second);
      await setBack(10 * minute, async () => {
        await runner.tick();
        await executor.end(executor.started[0] as number);
        await runner.tick();
      });
      expect((await windows()).sort((a, b) => a - b)).to.deep.equal([0, 10]);
      await pass(12 * minute);
      const starts = await windows();
      expect(new Set(starts).size).to.equal(starts.length);
      expect(starts.length).to.equal(13);
      expect((await world.allTasks()).find((task) => task.window_start === five + 10 * minute)?.state).to.equal(
        'fulfilled',
      );
    });

    it('schedules a template that had ended by the clock as it was', async () => {
      await world.template({ interval: 'minutely', ends_at: five + 5 * minute, catch_up: 'none' });
      await pass(30 * second);
      await setBack(hour);
      await pass(6 * minute);
      expect((await windows()).sort((a, b) => a - b)).to.deep.equal([0, 1, 2, 3, 4]);
    });

    it('lets every lease last as long as before, so that a dead worker is noticed', async () => {
      const executor = new ManualExecutor();
      const runner = world.runner(executor);
      await world.template({ interval: 'hourly' });
      await world.schedule();
      await setBack(day, async () => void (await runner.tick()));
      expect(executor.started).to.have.length(1);
      await pass(15 * second);
      while ((await world.reaper.tick()) === 0);
      const [lease] = await world.audited.read((tables) => tables.of(WorkerLease).find());
      expect(lease).to.equal(undefined);
    });

    it('runs a requested job that was due no later than before', async () => {
      const { id } = await world.template({ interval: 'none' });
      await setBack(day, async () => void (await world.jobs.schedule(world.actor, { runtemplate_id: id })));
      const [job] = await world.allJobs();
      expect(job?.scheduled_at).to.be.at.most(await serviceNow());
      expect(job?.queue_at).to.equal(job?.scheduled_at);
    });

    it('forgets passed windows of a long outage that lie ahead of it', async () => {
      await world.template({ interval: 'minutely', catch_up: 'none' });
      await pass(30 * second);
      world.time.jump = day;
      await pass(2 * second);
      await confirm();
      await world.time.pass(second);
      await world.clockWatch.tick();
      await world.scheduler.tick();
      world.time.jump = 0;
      await pass(3 * minute);
      expect((await windows()).sort((a, b) => a - b)).to.deep.equal([0, 1, 2, 3]);
    });
  });
});
