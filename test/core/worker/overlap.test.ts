import { HorariumError, Job } from '@horarium/core';
import { expect } from 'chai';
import type { Runner } from '#core/worker/runner';
import { RunnerWorld } from '../../support/worlds/runner-world.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('Overlapping jobs of a template', () => {
  let world: RunnerWorld;
  let runner: Runner;

  beforeEach(() => {
    world = new RunnerWorld();
    runner = world.worker();
  });

  /** Advances the time, while the worker renews its lease and runs due jobs. */
  async function pass(duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= 2500) {
      await world.time.pass(Math.min(left, 2500));
      await world.schedule();
      for (let ticks = 0; ticks < 20 && (await runner.tick()) <= 10; ticks++);
    }
  }
  const states = async () => (await world.allJobs()).map((job) => job.state);

  it('are run one after the other under forbid: a due job is blocked until the running one ends', async () => {
    await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *', catch_up: 'none' });
    await pass(2 * minute + 10_000);
    expect([world.executor.started, await states()]).to.deep.equal([[1], ['running', 'scheduled']]);
    await world.executor.end(1);
    await pass(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
  });

  it('are skipped under forbid, and their Tasks missed, if the running one does not end in time', async () => {
    await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *' });
    await pass(4 * minute + 10_000);
    expect((await states()).slice(0, 2)).to.deep.equal(['running', 'skipped']);
    expect(await world.task(2)).to.include({
      state: 'missed',
      reason: 'another job of the template was running until the start deadline, 2026-11-21T05:04:00.000Z',
    });
  });

  it('are unblocked when an earlier blocked one is skipped because its deadline passed', async () => {
    const { id } = await world.template({ overlap: 'forbid', deadline: '+1m' });
    await pass(1000);
    const adhoc = await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:30:00Z' });
    await pass(30 * minute);
    expect((await world.job(adhoc.id)).queue_at).to.equal(null);
    await world.executor.end(1);
    await pass(2500);
    expect(world.executor.started).to.deep.equal([1, adhoc.id]);
  });

  it('run at the same time under allow, except attempts of the same Task', async () => {
    await world.template({ overlap: 'allow', interval: 'custom', cron: '*/2 * * * *' });
    await pass(2 * minute + 5000);
    expect(world.executor.started).to.deep.equal([1, 2]);
    const first = await world.jobs.schedule(world.actor, { task_id: 1 });
    const second = await world.jobs.schedule(world.actor, { task_id: 2 });
    await pass(5000);
    expect(world.executor.started).to.deep.equal([1, 2]);
    await world.executor.end(2, 1);
    await pass(2500);
    expect(
      world.executor.started,
      'the attempt whose Task has no running attempt starts, although the other one is older',
    ).to.deep.equal([1, 2, second.id]);
    expect((await world.job(first.id)).state).to.equal('scheduled');
  });

  it('replace the running one under replace: it is stopped and its Task cancelled', async () => {
    await world.template({ overlap: 'replace', interval: 'custom', cron: '*/2 * * * *' });
    await pass(2 * minute + 5000);
    expect(world.executor.stops.get(1)).to.equal('replaced by job 2');
    await world.executor.end(1, 143);
    await pass(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
    expect(await states()).to.deep.equal(['cancelled', 'running']);
    expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'replaced by job 2' });
  });

  it('do not replace another attempt of the same Task under replace', async () => {
    await world.template({ overlap: 'replace' });
    await pass(2500);
    const manual = await world.jobs.schedule(world.actor, { task_id: 1 });
    await pass(10_000);
    expect(world.executor.stops.size).to.equal(0);
    await world.executor.end(1, 1);
    await pass(2500);
    expect(world.executor.started).to.deep.equal([1, manual.id]);
  });

  it('run one after the other under replace if they catch up passed windows', async () => {
    await world.template({ overlap: 'replace', catch_up: 'all' });
    await world.time.pass(3 * hour + minute);
    await pass(5000);
    expect(world.executor.started).to.have.lengthOf(1);
    expect(world.executor.stops.size).to.equal(0);
    for (const job of [1, 2, 3]) {
      await world.executor.end(job);
      await pass(2500);
    }
    expect(world.executor.started).to.deep.equal([1, 2, 3, 4]);
    expect((await world.allTasks()).map((task) => task.state)).to.deep.equal([
      'fulfilled',
      'fulfilled_late',
      'fulfilled_late',
      'running',
    ]);
  });

  it('are unblocked when the template changes to allow', async () => {
    const { id } = await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *' });
    await pass(2 * minute + 5000);
    expect(world.executor.started).to.deep.equal([1]);
    await world.edit(id, { overlap: 'allow' });
    await pass(2500);
    expect(world.executor.started).to.deep.equal([1, 2]);
  });

  it('are unblocked when no job of the template runs, even if another one is scheduled for later', async () => {
    const { id } = await world.template({ overlap: 'forbid', interval: 'none' });
    const job = await world.jobs.schedule(world.actor, { runtemplate_id: id });
    await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2027-01-01T00:00:00Z' });
    await world.audited.transaction(world.actor, async (tables) => {
      await tables.of(Job).updateWhere([['id', '=', job.id]], { queue_at: null });
    });
    await pass(5000);
    expect(world.executor.started).to.deep.equal([]);
    await world.strandedJobs.tick();
    await pass(2500);
    expect(world.executor.started).to.deep.equal([job.id]);
  });

  describe('that a user schedules or cancels', () => {
    it('are rejected under forbid while another one runs, unless they are scheduled for later', async () => {
      const { id } = await world.template({ overlap: 'forbid' });
      await pass(2500);
      const error = await world.jobs.schedule(world.actor, { runtemplate_id: id }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(HorariumError).and.to.have.property('code', 'conflict');
      const job = await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:30:00Z' });
      expect(job.state).to.equal('scheduled');
    });

    it('cancel their Task only when no other attempt of it is pending', async () => {
      await world.template({ delay: 600 });
      await world.schedule();
      const manual = await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:20:00Z' });
      await world.jobs.cancel(world.actor, manual.id);
      expect((await world.task(1)).state).to.equal('open');
      await world.jobs.cancel(world.actor, 1);
      expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'job 1 was cancelled by anna' });
      expect(await states()).to.deep.equal(['cancelled', 'cancelled']);
    });

    it('get the reason of the user for job and Task when they are cancelled', async () => {
      await world.template({ delay: 600 });
      await world.schedule();
      await world.jobs.cancel(world.actor, 1, 'the shop is closed');
      expect((await world.job(1)).reason).to.equal('the shop is closed');
      expect((await world.task(1)).reason).to.equal('job 1 was cancelled: the shop is closed');
    });

    it('do not keep a Task open if they are scheduled after its deadline', async () => {
      await world.template({ max_attempts: 1, deadline: '+10m' });
      await pass(2500);
      await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:10:01Z' });
      await world.executor.end(1, 1);
      await pass(2500);
      expect((await world.task(1)).state).to.equal('failed');
      expect(await states()).to.deep.equal(['failed', 'skipped']);
    });

    it('are all cancelled with their Task when its running attempt is cancelled', async () => {
      await world.template({});
      await pass(2500);
      await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: '2026-11-21T05:30:00Z' });
      await world.jobs.cancel(world.actor, 1);
      await world.executor.end(1, 143);
      await pass(2500);
      expect(await states()).to.deep.equal(['cancelled', 'cancelled']);
    });
  });
});
