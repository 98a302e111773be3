import type { RunTemplateRow, TaskRow } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { minute, PauseWorld } from '../pause/pause-world.ts';

/** The world begins at 05:00 UTC; the deadline of Task 1 is at 05:10. */
describe('The repetition of a Task that has ended', () => {
  let world: PauseWorld;
  let template: RunTemplateRow;

  beforeEach(async () => {
    world = new PauseWorld();
    template = await world.template({ deadline: '+10m' });
  });

  const repeat = async () => (await world.jobs.schedule(world.actor, { task_id: 1 })).id;
  const refusal = async () => (await rejectionOf(repeat())).message;
  const end = async (id: number, exitCode: number) => {
    await world.executor.end(id, exitCode, { finishedAt: world.time.now });
    await world.runner1.tick();
    await world.act();
  };
  const miss = async () => {
    await world.schedule();
    await world.time.pass(11 * minute);
    await world.schedule();
  };
  const ends: Readonly<Partial<Record<TaskRow['state'], () => Promise<void>>>> = {
    async failed() {
      await world.act();
      await end(1, 3);
    },
    missed: miss,
    async cancelled() {
      await world.schedule();
      await world.jobs.cancel(world.actor, 1, 'not today');
    },
  };
  const reasons: Readonly<Partial<Record<TaskRow['state'], string>>> = {
    failed: 'it failed: exit code 3',
    missed: 'it was missed: no attempt was started by the start deadline, 2026-11-21T05:10:00.000Z',
    cancelled: 'it was cancelled: job 1 was cancelled: not today',
  };

  for (const [state, bring] of Object.entries(ends))
    it(`leaves one that is ${state} as it is until it succeeds, whatever the deadline, and then it is fulfilled late`, async () => {
      await bring();
      const before = await world.task(1);
      expect(before.state).to.equal(state);
      await world.pass(15 * minute);
      const id = await repeat();
      expect(await world.job(id)).to.include({ trigger: 'adhoc', task_id: 1, attempt: before.attempts + 1 });
      await world.act();
      expect(world.executor.started.at(-1)).to.equal(id);
      const { updated_at: _changed, revision: _version, ...same } = before;
      expect(await world.task(1)).to.deep.include({ ...same, attempts: before.attempts + 1 });
      await end(id, 0);
      expect(await world.task(1)).to.include({
        state: 'fulfilled_late',
        reason: `a repetition succeeded; before, ${reasons[state as TaskRow['state']]}`,
        fulfilled_by_job_id: id,
        fulfilled_at: world.time.now,
        ended_at: before.ended_at,
        start_deadline: null,
      });
    });

  it('only adds an attempt when it fails, and is not retried', async () => {
    await world.edit(template.id, { max_attempts: 5 });
    await miss();
    await end(await repeat().finally(() => world.act()), 3);
    await world.pass(5 * minute);
    expect(await world.task(1)).to.include({ state: 'missed', attempts: 1, fulfilled_at: null });
    expect((await world.allJobs()).filter(({ task_id }) => task_id === 1)).to.have.length(2);
    const second = await repeat();
    await world.act();
    await end(second, 0);
    expect(await world.task(1)).to.include({ state: 'fulfilled_late', attempts: 2 });
  });

  it('adds an attempt to one that was fulfilled in time, and takes nothing from it', async () => {
    await world.act();
    await end(1, 0);
    const before = await world.task(1);
    await world.pass(15 * minute);
    const id = await repeat();
    await world.act();
    await end(id, 0);
    expect(await world.job(id)).to.include({ state: 'succeeded' });
    const { updated_at: _changed, revision: _version, ...same } = before;
    expect(await world.task(1)).to.deep.include({ ...same, state: 'fulfilled', attempts: 2, fulfilled_by_job_id: 1 });
  });

  it('is refused while another one waits or runs, and accepted again afterwards', async () => {
    await miss();
    const id = await repeat();
    expect(await refusal()).to.equal(`Task 1 is being repeated: its job ${id} is scheduled.`);
    await world.act();
    expect(await refusal()).to.equal(`Task 1 is being repeated: its job ${id} is running.`);
    await end(id, 3);
    await repeat();
  });

  it('is refused while the template is inactive or paused', async () => {
    await miss();
    const pause = await world.pause(minute);
    expect(await refusal()).to.match(/^RunTemplate 1 is paused by anna until /);
    await world.resume(pause.id);
    await world.edit(template.id, { active: false });
    expect(await refusal()).to.equal('RunTemplate 1 is not active.');
  });

  it('leaves the Task as it is when it is cancelled, before its start or while it runs', async () => {
    await miss();
    await world.jobs.cancel(world.actor, await repeat());
    expect(await world.task(1)).to.include({ state: 'missed', attempts: 0 });
    const running = await repeat();
    await world.act();
    await world.jobs.cancel(world.actor, running);
    await world.act();
    await end(running, 1);
    expect(await world.job(running)).to.include({ state: 'cancelled' });
    expect(await world.task(1)).to.include({ state: 'missed', attempts: 1 });
  });

  it('waits under forbid until the running job has ended', async () => {
    await miss();
    await world.pass(50 * minute);
    const id = await repeat();
    await world.pass(minute);
    expect(world.executor.started).to.deep.equal([2]);
    expect((await world.job(id)).queue_at).to.equal(null);
    await end(2, 0);
    expect(world.executor.started).to.deep.equal([2, id]);
  });

  it('waits under replace too, and stops no job that is owed now', async () => {
    await world.edit(template.id, { overlap: 'replace' });
    await miss();
    await world.pass(50 * minute);
    const id = await repeat();
    await world.pass(minute);
    expect([...world.executor.stops.keys()]).to.deep.equal([]);
    await end(2, 0);
    expect(world.executor.started).to.deep.equal([2, id]);
  });

  it('comes after the jobs that are owed now', async () => {
    await miss();
    const id = await repeat();
    await world.time.pass(49 * minute);
    await world.act();
    expect(world.executor.started).to.deep.equal([3]);
    await end(3, 0);
    expect(world.executor.started).to.deep.equal([3, id]);
  });
});
