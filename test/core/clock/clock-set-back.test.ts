import { AuditLog, Delivery, Event, EventSource, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { LoginAttempt } from '#core/user/login-throttle';
import { storedNoticeOf } from '../../support/actions/stored-notice.ts';
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

  it('deletes nothing: Tasks ahead of it wait for their time, and no window has two', async () => {
    await world.template({ interval: 'minutely', catch_up: 'all' });
    await world.pass(30 * second);
    await setBack(10 * minute);
    const before = await world.allTasks();
    expect(await world.windows()).to.deep.equal(Array.from({ length: 11 }, (_, index) => index));
    await world.pass(15 * minute);
    expect(await world.windows()).to.deep.equal(Array.from({ length: 16 }, (_, index) => index));
    expect((await world.allTasks()).map(({ id }) => id)).to.include.members(before.map(({ id }) => id));
    const log = await world.audited.read((tables) => tables.of(AuditLog).find({ where: [['action', '=', 'delete']] }));
    expect(log).to.deep.equal([]);
  });

  it('runs each window ahead of it once, in its time', async () => {
    const executor = new ManualExecutor();
    const runner = world.runner(executor);
    for (const catch_up of ['all', 'none'] as const) await world.template({ interval: 'minutely', catch_up });
    await world.pass(30 * second);
    await setBack(10 * minute);
    for (let passed = 0; passed < 14 * 60; passed++) {
      await world.pass(second);
      await runner.tick();
      for (const id of executor.started.splice(0)) await executor.end(id);
      await runner.tick();
    }
    const tasks = (await world.allTasks()).filter((task) => task.window_end <= world.time.now);
    for (const { state } of tasks) expect(state).to.be.oneOf(['fulfilled', 'fulfilled_late']);
    expect(tasks.length).to.equal(28);
    for (const { started_at, task_id } of await world.allJobs()) {
      const task = tasks.find(({ id }) => id === task_id);
      if (task && started_at !== null) expect(started_at).to.be.within(task.window_start, task.window_end);
    }
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
    for (const template of [id, edited]) {
      const tasks = (await world.allTasks()).filter((task) => task.runtemplate_id === template);
      const begun = tasks.filter((task) => task.window_start <= five + 6 * minute);
      expect(begun.map(({ window_start }) => (window_start - five) / minute)).to.have.members([0, 1, 2, 3, 4, 5, 6]);
      expect(begun.find((task) => task.window_start === five + 6 * minute)?.state).to.equal('open');
    }
  });

  it('opens missed Tasks ahead of it when their windows begin', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.pass(30 * second);
    await setBack(hour);
    expect(await world.taskStates()).to.equal('1 open, 59 missed, 1 open');
    await world.pass(2 * minute);
    const begun = (await world.allTasks()).filter((task) => task.window_start <= world.time.now);
    expect(begun.map(({ state }) => state)).to.deep.equal(['missed', 'missed', 'open']);
    expect((await world.allJobs()).filter(({ scheduled_at }) => scheduled_at === five + 2 * minute)).to.have.length(1);
  });

  it('opens a missed Task whose deadline is ahead of it, unless the template owes that window no more', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.template({ interval: 'hourly', catch_up: 'none' });
    await world.template({ interval: 'hourly', catch_up: 'none', deadline: '+1s', allow_late: true });
    await world.template({ interval: 'hourly', catch_up: 'none', deadline: '+1s' });
    const inactive = await world.template({ interval: 'hourly', catch_up: 'none' });
    await world.schedule();
    const currentTasks = async () => (await world.allTasks()).filter((task) => task.window_start === five);
    const before = await currentTasks();
    await setBack(day, async () => {
      expect((await currentTasks()).map(({ state }) => state)).to.deep.equal(Array(5).fill('missed'));
      await world.edit(inactive.id, { active: false });
    });
    const current = await currentTasks();
    expect(current.map(({ id }) => id)).to.deep.equal(before.map(({ id }) => id));
    expect(current.map(({ state, reason }) => [state, reason === null])).to.deep.equal([
      ['open', true],
      ['open', true],
      ['open', true],
      ['missed', false],
      ['missed', false],
    ]);
    const ids = current.map(({ id }) => id);
    const jobs = (await world.allJobs()).filter((job) => ids.includes(job.task_id ?? 0));
    expect(jobs.filter((job) => job.state === 'scheduled')).to.have.length(3);
    expect(jobs.filter((job) => job.state === 'skipped')).to.have.length(5);
  });

  it('queues a job ahead of it for its time, although it was blocked by another', async () => {
    const executor = new ManualExecutor();
    const runner = world.runner(executor);
    await world.template({ interval: 'hourly', overlap: 'forbid', catch_up: 'none' });
    await world.schedule();
    await runner.tick();
    await setBack(2 * hour, async () => void (await runner.tick()));
    await executor.end(executor.started[0] as number);
    await runner.tick();
    const ahead = (await world.allJobs()).filter(({ state }) => state === 'scheduled');
    expect(ahead.map(({ queue_at }) => queue_at)).to.deep.equal([five + 2 * hour]);
  });

  it('lets a retry wait no longer than before, and not start before its window', async () => {
    const executor = new ManualExecutor();
    const runner = world.runner(executor);
    const retries = { timezone: 'UTC', max_attempts: 2, retry_backoff: 'fixed', retry_delay: 300 } as const;
    await world.template({ interval: 'daily', ...retries });
    await world.template({ interval: 'hourly', catch_up: 'none', ...retries });
    const midnight = Date.UTC(2026, 10, 22);
    world.time.moveTo(midnight);
    await world.pass(second);
    await setBack(3 * hour, async () => {
      await runner.tick();
      for (const id of executor.started) await executor.end(id, 1, { finishedAt: await world.serviceNow() });
      await runner.tick();
    });
    const retried = (await world.allJobs()).filter(({ trigger }) => trigger === 'retry');
    expect(
      retried.map(({ scheduled_at, queue_at }) => [scheduled_at - midnight, queue_at === scheduled_at]),
    ).to.deep.equal([
      [5 * minute + 5 * second, true],
      [3 * hour, true],
    ]);
  });

  it('lets what is tried again, read or refused for a while wait no longer than claims last', async () => {
    const at = five + day;
    await world.template({ interval: 'none' });
    await world.audited.transaction(world.actor, async (tables) => {
      const source = newRow(EventSource, { name: 'shop', kind: 'none', next_poll_at: at });
      await tables.of(EventSource).insert([source]);
      const login = newRow(LoginAttempt, { key: 'x', last_attempt_at: five, closed_until: at });
      await tables.of(LoginAttempt).insert([login]);
      const about = { company_id: 1, runtemplate_id: 1 };
      await tables.of(Event).insert([newRow(Event, { ...about, kind: 'job', event: 'failed', claimed_until: at })]);
      const notice = storedNoticeOf('on_failure');
      const told = { action: 'webhook', event: 'on_failure', owner: 'runtemplate', message_id: 'x', notice } as const;
      await tables.of(Delivery).insert([newRow(Delivery, { ...about, ...told, created_at: five, next_at: at })]);
    });
    await setBack(2 * day);
    const waits = await world.audited.read(async (tables) => [
      (await tables.of(EventSource).find())[0]?.next_poll_at,
      (await tables.of(LoginAttempt).find())[0]?.closed_until,
      (await tables.of(Event).find())[0]?.claimed_until,
      (await tables.of(Delivery).find())[0]?.next_at,
    ]);
    for (const wait of waits) expect(wait).to.be.within(five, five + 20 * second);
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
    expect(await world.windows()).to.deep.equal([0, 1, 2, 3, 24 * 60]);
  });
});
