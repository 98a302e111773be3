import { type Tables, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import type { ClockWatch } from '#core/clock/clock-watch';
import { serviceStore } from '#core/service-time/service-store';
import { ServiceTime } from '#core/service-time/service-time';
import { overrideTables } from '#core/store/override-tables';
import { pipeline } from '#core/store/pipeline';
import type { CommonSetting } from '#core/store/setting';
import { HostClock } from '../../support/clocks/virtual-time.ts';
import { ManualExecutor } from '../../support/executors/manual-executor.ts';
import { ClockWorld } from '../../support/worlds/clock-world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const five = Date.UTC(2026, 10, 21, 5);

describe('The clock watch', () => {
  let world: ClockWorld;

  beforeEach(async () => {
    world = await ClockWorld.create();
  });

  describe('while the clock of the store is ahead', () => {
    it('schedules no window that only the jump has begun, and declares no Task missed', async () => {
      await world.template({ interval: 'minutely', catch_up: 'all' });
      await world.pass(2 * minute);
      world.time.jump = day;
      await world.pass(2 * minute + second);
      expect(await world.windows()).to.deep.equal([0, 1, 2, 3, 4]);
      expect(await world.taskStates()).to.equal('4 missed, 1 open');
      expect(await world.serviceNow()).to.equal(five + 4 * minute + second);
      expect(world.clockChanges.map(({ kind, by }) => [kind, by])).to.deep.equal([['held', day]]);
    });

    it('goes by the time without the jump before it has recorded it', async () => {
      await world.template({ interval: 'minutely' });
      await world.pass(30 * second);
      world.time.jump = day;
      await world.schedule();
      expect(await world.taskStates()).to.equal('1 open');
      expect(await world.serviceNow()).to.equal(five + 30 * second);
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
          await world.pass(second);
        }
      }
      expect(world.lostLeases).to.deep.equal([]);
      expect((await world.allJobs()).map((job) => job.state)).to.deep.equal(['running']);
    });

    it('goes on as if nothing had happened when the clock goes back', async () => {
      await world.template({ interval: 'minutely', catch_up: 'none' });
      await world.pass(minute);
      world.time.jump = day;
      await world.pass(2 * minute);
      world.time.jump = 0;
      await world.pass(2 * minute);
      expect(await world.windows()).to.deep.equal([0, 1, 2, 3, 4, 5]);
      expect(world.clockChanges.map(({ kind }) => kind)).to.deep.equal(['held', 'gone_back']);
      expect(await world.state()).to.include({ held: 0 });
    });

    it('holds what is left of the jump when the clock goes back in part', async () => {
      world.time.jump = day;
      await world.pass(2 * second);
      world.time.jump = hour;
      await world.pass(2 * second);
      expect(await world.state()).to.include({ held: hour });
      expect(await world.serviceNow()).to.equal(five + 4 * second);
    });
  });

  describe('when the jump is confirmed', () => {
    const jumpAndConfirm = async () => {
      await world.pass(30 * second);
      world.time.jump = hour;
      await world.pass(5 * second);
      return world.confirm();
    };

    it('decides the windows in between as after downtime', async () => {
      await world.template({ interval: 'minutely', catch_up: 'latest' });
      await jumpAndConfirm();
      await world.pass(5 * second);
      expect(await world.taskStates()).to.equal('59 missed, 1 open caught up, 1 open');
      expect(await world.serviceNow()).to.equal(five + hour + 40 * second);
    });

    it('says who confirmed it, and by how much the clock was ahead', async () => {
      expect(await jumpAndConfirm()).to.deep.include({ kind: 'confirmed', by: hour, actor: 'admin' });
      expect(world.clockChanges.at(-1)).to.include({ kind: 'confirmed' });
      expect(await world.state()).to.include({ held: 0 });
    });

    it('lets every lease last as long as before', async () => {
      const executor = new ManualExecutor();
      const runner = world.runner(executor);
      await world.template({ interval: 'daily', timezone: 'UTC' });
      world.time.moveTo(Date.UTC(2026, 10, 22));
      await world.pass(second);
      await runner.tick();
      world.time.jump = hour;
      await world.pass(second);
      await world.confirm();
      await runner.tick();
      await world.reaper.tick();
      expect(world.lostLeases).to.deep.equal([]);
      expect((await world.allJobs()).map((job) => job.state)).to.deep.equal(['running']);
      const [lease] = await world.audited.read((tables) => tables.of(WorkerLease).find());
      expect(lease?.lease_until).to.equal((await world.serviceNow()) + 9 * second);
    });

    it('rejects a confirmation when the clock is not ahead', async () => {
      const failure = await world.confirm().catch((error) => error);
      expect(failure).to.include({ code: 'conflict' });
    });
  });

  it('takes a suspended machine for downtime', async () => {
    await world.template({ interval: 'minutely', catch_up: 'latest' });
    await world.pass(30 * second);
    world.time.suspend(hour);
    await world.pass(2 * second);
    expect(await world.taskStates()).to.equal('59 missed, 1 open caught up, 1 open');
    expect(world.clockChanges).to.deep.equal([]);
  });

  it('takes a process that was stopped while it read the clock together with the state for no step', async () => {
    let stop = 0;
    const timeWithState = (tables: Tables) => {
      let shown: Promise<number> | undefined;
      const setting = async (name: CommonSetting) => {
        shown ??= tables.now();
        const value = await tables.setting(name);
        await world.time.pass(stop);
        return value;
      };
      return overrideTables(tables, { setting, now: () => shown ?? tables.now() });
    };
    const store = pipeline(world.store, [(work) => (tables) => work(timeWithState(tables))]);
    const watch = world.newClockWatch(new HostClock(world.time, 0), 'host2', store);
    await watch.tick();
    stop = 5 * minute;
    // After a step it would return 0, to compare again at once.
    expect(await watch.tick()).to.be.above(0);
    expect(world.clockChanges).to.deep.equal([]);
  });

  it('ignores the time of day of its own host', async () => {
    await world.template({ interval: 'minutely' });
    await world.pass(10 * second);
    world.clock.ahead = day;
    await world.pass(10 * second);
    world.clock.ahead = -day;
    await world.pass(10 * second);
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
        world.serviceNow(),
        serviceStore(world.store, other.watch.time).transaction((tables) => tables.now()),
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
      expect(await world.serviceNow()).to.equal(five + 300 * second);
    });
  });

  describe('after a restart of the process', () => {
    const restart = async (boot = 'boot') => {
      const clock = boot === world.clock.boot ? world.clock : new HostClock(world.time, 0, boot);
      const watch = world.newClockWatch(clock);
      await watch.tick();
      return serviceStore(world.store, watch.time).transaction((tables) => tables.now());
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

    it('holds a jump while it was down that follows a confirmation', async () => {
      world.time.jump = hour;
      await world.pass(2 * second);
      await world.confirm();
      await world.time.pass(hour);
      world.time.jump = day;
      expect(await restart()).to.equal(five + 2 * hour + 2 * second);
    });

    it('goes by the right time in a process that does not watch the clock, when it went back while no host was up', async () => {
      world.time.jump = day;
      await world.pass(2 * second);
      world.time.jump = 0;
      await world.time.pass(hour);
      const command = serviceStore(world.store, new ServiceTime({ clock: world.clock, host: 'host1' }));
      expect(await command.transaction((tables) => tables.now())).to.equal(five + hour + 2 * second);
      expect(await world.state()).to.include({ held: day });
    });

    it('takes a jump for downtime after another boot, because nothing tells them apart', async () => {
      world.time.jump = day;
      expect(await restart('other')).to.equal(five + day);
    });

    it('still holds a jump that was recorded before, whatever the boot', async () => {
      world.time.jump = day;
      await world.pass(2 * second);
      await world.time.pass(hour);
      expect(await restart()).to.equal(five + hour + 2 * second);
      expect(await restart('other')).to.equal(five + hour + 2 * second);
    });

    it('lets go of a jump when the clock went back while it was down', async () => {
      world.time.jump = day;
      await world.pass(2 * second);
      world.time.jump = 0;
      await world.time.pass(hour);
      expect(await restart('other')).to.equal(five + hour + 2 * second);
      expect(await world.state()).to.include({ held: 0 });
    });
  });
});
