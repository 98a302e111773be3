import { App, Company, Job, RunTemplate, Task, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import sinon from 'sinon';
import { AuditedStore } from '#core/audit/audited-store';
import { Scheduler } from '#core/scheduler/scheduler';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { openTestStore } from '../../support/store/test-store.ts';
import { recordReads } from '../../support/worlds/recorded-reads.ts';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

const hour = 3_600_000;

/** A scheduler with so many hourly templates, over a store whose transactions are counted. */
async function schedulerOf(templates: number) {
  const clock = new StandingClock();
  const raw = openTestStore(clock);
  const store = new AuditedStore(raw, testSigner);
  await store.transaction(trustedActor('test'), async (tables) => {
    const [app_id] = (await tables
      .of(App)
      .insert([newRow(App, { name: 'a', uuid: crypto.randomUUID(), executable: 'true' })])) as [number];
    const [company_id] = (await tables.of(Company).insert([newRow(Company, { code: 'c', name: 'c' })])) as [number];
    const rows = Array.from({ length: templates }, (_, index) =>
      newRow(RunTemplate, { name: `t${index}`, app_id, company_id, interval: 'hourly' }),
    );
    const ids = await tables.of(RunTemplate).insert(rows);
    const next = clock.at + hour;
    const schedules = ids.map((id) =>
      newRow(Schedule, { runtemplate_id: id, company_id, next_at: next, next_window: next }),
    );
    await tables.of(Schedule).insert(schedules);
  });
  const onJobs = sinon.fake();
  const transactions = sinon.spy(raw, 'transaction');
  return { clock, store, onJobs, transactions, scheduler: new Scheduler({ store, poll: 1000, onJobs }) };
}

describe('The scheduler', () => {
  for (const templates of [1, 1000]) {
    it(`reads once and writes nothing while no window is due, with ${templates} templates`, async () => {
      const { scheduler, onJobs, transactions } = await schedulerOf(templates);
      expect(await scheduler.tick()).to.equal(1000);
      sinon.assert.calledOnceWithMatch(transactions, sinon.match.func, { readOnly: true });
      sinon.assert.notCalled(onJobs);
    });
  }

  it('reads no environment, which may be large, when it schedules windows', async () => {
    const { clock, store, scheduler } = await schedulerOf(3);
    clock.at += hour;
    const reads = recordReads({ store });
    await scheduler.tick();
    const templates = reads.filter(({ table }) => table === 'RunTemplate');
    expect(templates.map(({ columns }) => columns?.includes('interval'))).to.deep.equal([true]);
    for (const { columns } of templates) expect(columns).to.be.an('array').that.does.not.include('environment');
  });

  it('creates the Task of each window with a first job, and announces the jobs once', async () => {
    const { clock, store, scheduler, onJobs } = await schedulerOf(3);
    clock.at += hour;
    await scheduler.tick();
    const [tasks, jobs] = await store.read(async (tables) => [
      await tables.of(Task).find(),
      await tables.of(Job).find(),
    ]);
    expect(tasks.map(({ window_start, state }) => [window_start, state])).to.deep.equal([
      [clock.at, 'open'],
      [clock.at, 'open'],
      [clock.at, 'open'],
    ]);
    expect(jobs.map((job) => job.task_id)).to.deep.equal(tasks.map((task) => task.id));
    sinon.assert.calledOnce(onJobs);
  });

  it('creates no second Task for a window, even when next_window is set back', async () => {
    const { clock, store, scheduler } = await schedulerOf(1);
    clock.at += hour;
    await scheduler.tick();
    await store.transaction(trustedActor('test'), (tables) =>
      tables.of(Schedule).updateWhere([], { next_at: clock.at, next_window: clock.at }),
    );
    await scheduler.tick();
    expect(await store.read((tables) => tables.of(Task).count())).to.equal(1);
    expect(await store.read((tables) => tables.of(Job).count())).to.equal(1);
  });

  it('schedules all templates when the deadline of one lies beyond the year 9999', async () => {
    const world = new SchedulingWorld();
    await world.template({ interval: 'custom', cron: '0 * * * *', deadline: '+999999999d' });
    await world.template({});
    await world.time.pass(hour);
    await world.schedule();
    const current = (await world.allTasks()).filter((task) => task.window_start === world.time.now);
    const end = world.time.now + hour;
    expect(current.map(({ deadline }) => deadline)).to.deep.equal([end, end]);
  });

  it('ticks twenty times a second while another transaction locks the templates of all due windows', async () => {
    const world = new SchedulingWorld();
    const connection = new BreakableStore(world.store);
    const scheduler = new Scheduler({ store: new AuditedStore(connection, testSigner), poll: 1000 });
    await world.template({});
    connection.rowsLocked = true;
    expect(await world.ticksInASecond(scheduler)).to.be.within(10, 25);
    connection.rowsLocked = false;
    await scheduler.tick();
    expect(await world.allTasks()).to.have.lengthOf(1);
  });

  for (const count of [1, 500])
    it(`ticks twenty times a second while another transaction locks the template of all expired Tasks, ${count} of them`, async () => {
      const world = new SchedulingWorld();
      const connection = new BreakableStore(world.store);
      const scheduler = new Scheduler({ store: new AuditedStore(connection, testSigner), poll: 1000 });
      const { id: runtemplate_id, company_id } = await world.template({ interval: 'none' });
      const passed = world.time.now - hour;
      const tasks = Array.from({ length: count }, (_, index) => {
        const window = { window_start: passed + index, window_end: passed + index + 1 };
        return newRow(Task, { runtemplate_id, company_id, ...window, deadline: passed, start_deadline: passed });
      });
      await world.audited.transaction(world.actor, (tables) => tables.of(Task).insert(tasks));
      connection.rowsLocked = true;
      expect(await world.ticksInASecond(scheduler)).to.be.within(10, 25);
      connection.rowsLocked = false;
      await scheduler.tick();
      expect(await world.taskStates()).to.equal(`${count} missed`);
    });
});
