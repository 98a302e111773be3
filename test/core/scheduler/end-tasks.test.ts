import { expect } from 'chai';
import { RunnerWorld } from '../../support/worlds/runner-world.ts';

const minute = 60_000;

describe('An open Task whose start deadline passes', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  it('still starts an attempt exactly at that time', async () => {
    await world.template({ deadline: '+10m' });
    await world.schedule();
    await world.time.pass(10 * minute);
    await world.schedule();
    expect((await world.task(1)).state).to.equal('open');
    await world.worker().tick();
    expect(world.executor.started).to.deep.equal([1]);
  });

  it('is missed a millisecond later when no attempt was started, and its job is skipped', async () => {
    await world.template({ deadline: '+10m' });
    await world.schedule();
    await world.time.pass(10 * minute + 1);
    await world.worker().tick();
    expect(world.executor.started).to.deep.equal([]);
    await world.schedule();
    expect(await world.task(1)).to.include({
      state: 'missed',
      reason: 'no attempt was started by the start deadline, 2026-11-21T05:10:00.000Z',
    });
    expect(await world.job(1)).to.include({ state: 'skipped', reason: 'its start deadline has passed' });
  });

  it('stays open until the end of its window with allow_late', async () => {
    await world.template({ deadline: '+10m', allow_late: true });
    await world.schedule();
    await world.time.pass(60 * minute);
    await world.schedule();
    expect((await world.task(1)).state).to.equal('open');
    await world.time.pass(1);
    await world.schedule();
    expect((await world.task(1)).state).to.equal('missed');
  });

  it('fails when an attempt was started before', async () => {
    await world.template({ deadline: '+10m', max_attempts: 3, retry_backoff: 'fixed', retry_delay: 500 });
    await world.schedule();
    const runner = world.worker();
    await runner.tick();
    await world.executor.end(1, 1);
    await runner.tick();
    expect(await world.task(1)).to.include({ state: 'open', attempts: 1 });
    await world.time.pass(10 * minute + 1);
    await world.schedule();
    expect(await world.task(1)).to.include({
      state: 'failed',
      reason: 'no further attempt was started by the start deadline, 2026-11-21T05:10:00.000Z',
    });
  });

  it('unblocks the next job of its template', async () => {
    const { id } = await world.template({ overlap: 'forbid', interval: 'custom', cron: '*/2 * * * *' });
    const runner = world.worker();
    const later = await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:02:30Z' });
    for (let remaining = 3.75 * minute; remaining > 0; remaining -= 2500) {
      await world.schedule();
      for (let tick = 0; tick < 5; tick++) await runner.tick();
      await world.time.pass(2500);
    }
    expect(
      (await world.allJobs()).filter((job) => job.queue_at === null && job.state === 'scheduled'),
    ).to.have.lengthOf(2);
    // The worker dies; the window's job is unblocked, but no worker is left to start it before its start deadline.
    await world.time.pass(11_000);
    await world.reaper.tick();
    expect((await world.job(later.id)).queue_at).to.equal(null);
    await world.time.pass(4 * minute + 1 - (world.time.now - Date.UTC(2026, 10, 21, 5)));
    await world.schedule();
    expect((await world.task(2)).state).to.equal('missed');
    expect((await world.job(later.id)).queue_at).to.be.a('number');
  });
});
