import { HorariumError, Job, type Runner } from '@horarium/core';
import { expect } from 'chai';
import { RunnerWorld } from '../../support/worlds/runner-world.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('Overlap of jobs of one template', () => {
  let world: RunnerWorld;
  let runner: Runner;

  beforeEach(() => {
    world = new RunnerWorld();
    runner = world.worker();
  });

  /** Lets that much time pass while the worker renews its lease and runs what is due. */
  async function later(duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= 2500) {
      await world.time.pass(Math.min(left, 2500));
      await world.schedule();
      for (let tickers = 0; tickers < 20 && (await runner.tick()) <= 10; tickers++);
    }
  }
  const states = async () => (await world.allJobs()).map((job) => job.state);

  it('blocks a due job under forbid, and starts it as soon as the running one has ended', async () => {
    await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *', catch_up: 'none' });
    await later(2 * minute + 10_000);
    expect([world.executor.started, await states()]).to.deep.equal([[1], ['running', 'scheduled']]);
    await world.executor.end(1);
    await later(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
  });

  it('skips a job under forbid when the last moment of its Task passes, and the Task is missed', async () => {
    await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *' });
    await later(4 * minute + 10_000);
    expect((await states()).slice(0, 2)).to.deep.equal(['running', 'skipped']);
    expect(await world.task(2)).to.include({
      state: 'missed',
      reason: 'another job of the template was running until 2026-11-21T05:04:00.000Z, the last moment to start',
    });
  });

  it('unblocks the next job when an earlier one can no longer start in time', async () => {
    const { id } = await world.template({ overlap: 'forbid', deadline: '+1m' });
    await later(1000);
    const adhoc = await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:30:00Z' });
    await later(30 * minute);
    expect((await world.job(adhoc.id)).queue_at).to.equal(null);
    await world.executor.end(1);
    await later(2500);
    expect(world.executor.started).to.deep.equal([1, adhoc.id]);
  });

  it('runs jobs side by side under allow, but never two attempts of one Task', async () => {
    await world.template({ overlap: 'allow', interval: 'custom', cron: '*/2 * * * *' });
    await later(2 * minute + 5000);
    expect(world.executor.started).to.deep.equal([1, 2]);
    const first = await world.jobs.schedule(world.actor, { task_id: 1 });
    const second = await world.jobs.schedule(world.actor, { task_id: 2 });
    await later(5000);
    expect(world.executor.started).to.deep.equal([1, 2]);
    await world.executor.end(2, 1);
    await later(2500);
    expect(
      world.executor.started,
      'the attempt of the Task whose attempt has ended, not the one that waits longest',
    ).to.deep.equal([1, 2, second.id]);
    expect((await world.job(first.id)).state).to.equal('scheduled');
  });

  it('stops the running job under replace, and cancels its Task', async () => {
    await world.template({ overlap: 'replace', interval: 'custom', cron: '*/2 * * * *' });
    await later(2 * minute + 5000);
    expect(world.executor.stops.get(1)).to.equal('replaced by job 2');
    await world.executor.end(1, 143);
    await later(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
    expect(await states()).to.deep.equal(['cancelled', 'running']);
    expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'replaced by job 2' });
  });

  it('never replaces another attempt of the same Task', async () => {
    await world.template({ overlap: 'replace' });
    await later(2500);
    const asked = await world.jobs.schedule(world.actor, { task_id: 1 });
    await later(10_000);
    expect(world.executor.stops.size).to.equal(0);
    await world.executor.end(1, 1);
    await later(2500);
    expect(world.executor.started).to.deep.equal([1, asked.id]);
  });

  it('runs caught-up jobs one after another under replace', async () => {
    await world.template({ overlap: 'replace', catch_up: 'all' });
    await world.time.pass(3 * hour + minute);
    await later(5000);
    expect(world.executor.started).to.have.lengthOf(1);
    expect(world.executor.stops.size).to.equal(0);
    for (const job of [1, 2, 3]) {
      await world.executor.end(job);
      await later(2500);
    }
    expect(world.executor.started).to.deep.equal([1, 2, 3, 4]);
    expect((await world.allTasks()).map((task) => task.state)).to.deep.equal([
      'fulfilled_late',
      'fulfilled_late',
      'fulfilled_late',
      'running',
    ]);
  });

  it('unblocks jobs when the overlap of their template is changed', async () => {
    const { id } = await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *' });
    await later(2 * minute + 5000);
    expect(world.executor.started).to.deep.equal([1]);
    await world.edit(id, { overlap: 'allow' });
    await later(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
  });

  it('unblocks a stranded job, also while another job is scheduled for later', async () => {
    const { id } = await world.template({ overlap: 'forbid', interval: 'none' });
    const job = await world.jobs.schedule(world.actor, { runtemplate_id: id });
    await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2027-01-01T00:00:00Z' });
    await world.audited.transaction(world.actor, async (tables) => {
      await tables.of(Job).updateWhere([['id', '=', job.id]], { queue_at: null });
    });
    await later(5000);
    expect(world.executor.started).to.deep.equal([]);
    await world.reaper.tick();
    await later(2500);
    expect(world.executor.started).to.deep.equal([job.id]);
  });

  describe('with jobs that people schedule', () => {
    it('refuses a job under forbid while another one runs, unless it is for later', async () => {
      const { id } = await world.template({ overlap: 'forbid' });
      await later(2500);
      const error = await world.jobs.schedule(world.actor, { runtemplate_id: id }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(HorariumError).and.to.have.property('code', 'conflict');
      const job = await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:30:00Z' });
      expect(job.state).to.equal('scheduled');
    });

    it('cancels the Task only with the last of its attempts', async () => {
      await world.template({ delay: 600 });
      await world.schedule();
      const asked = await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:20:00Z' });
      await world.jobs.cancel(world.actor, asked.id);
      expect((await world.task(1)).state).to.equal('open');
      await world.jobs.cancel(world.actor, 1);
      expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'job 1 was cancelled by anna' });
      expect(await states()).to.deep.equal(['cancelled', 'cancelled']);
    });

    it('cancels a job and its Task with the given reason', async () => {
      await world.template({ delay: 600 });
      await world.schedule();
      await world.jobs.cancel(world.actor, 1, 'the shop is closed');
      expect((await world.job(1)).reason).to.equal('the shop is closed');
      expect((await world.task(1)).reason).to.equal('job 1 was cancelled: the shop is closed');
    });

    it('does not keep a Task open for an attempt that is scheduled too late', async () => {
      await world.template({ max_attempts: 1, deadline: '+10m' });
      await later(2500);
      await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:10:01Z' });
      await world.executor.end(1, 1);
      await later(2500);
      expect((await world.task(1)).state).to.equal('failed');
      expect(await states()).to.deep.equal(['failed', 'skipped']);
    });

    it('cancels pending attempts with the Task when its running attempt is cancelled', async () => {
      await world.template({});
      await later(2500);
      await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:30:00Z' });
      await world.jobs.cancel(world.actor, 1);
      await world.executor.end(1, 143);
      await later(2500);
      expect(await states()).to.deep.equal(['cancelled', 'cancelled']);
    });
  });
});
