import { expect } from 'chai';
import { waiveTasksByPerson } from '#core/scheduler/waive-tasks';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { user } from '../../support/worlds/record-world.ts';
import { minute, PauseWorld } from '../pause/pause-world.ts';

/** The world begins at 05:00 UTC. */
describe('The waiver of a Task', () => {
  let world: PauseWorld;

  beforeEach(() => {
    world = new PauseWorld();
  });

  const waive = (id: number, reason: unknown = 'closed today', actor = world.actor) =>
    world.audited.transaction(actor, (tables) =>
      waiveTasksByPerson(tables, actor, [id], reason === null ? {} : { reason }),
    );

  it('cancels an open Task and its pending jobs, and names who waived it and why', async () => {
    await world.template({ delay: 60 });
    await world.schedule();
    await waive(1);
    const reason = 'waived by anna: closed today';
    expect(await world.task(1)).to.include({ state: 'cancelled', reason, start_deadline: null });
    expect((await world.task(1)).ended_at).to.equal(world.time.now);
    expect(await world.job(1)).to.include({ state: 'cancelled', reason });
    await world.pass(2 * minute);
    expect(world.executor.started).to.deep.equal([]);
  });

  it('lets a running attempt finish, which may still fulfil the Task', async () => {
    await world.template({ max_attempts: 3 });
    await world.act();
    expect((await waive(1))[0]).to.include({ state: 'running', ended_at: null });
    await world.endAll();
    expect(await world.task(1)).to.include({ state: 'fulfilled' });
  });

  it('lets no retry follow a running attempt that fails', async () => {
    await world.template({ max_attempts: 3 });
    await world.act();
    await waive(1);
    await world.executor.end(1, 3, { finishedAt: world.time.now });
    await world.runner1.tick();
    expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'waived by anna: closed today' });
    expect(await world.allJobs()).to.have.length(1);
  });

  it('lets the next job of the template start that was behind its own', async () => {
    const { id } = await world.template({ overlap: 'forbid' });
    await world.jobs.schedule(world.actor, { runtemplate_id: id });
    await world.act();
    expect(world.executor.started).to.deep.equal([1]);
    await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at: '2026-11-21T05:01:00Z' });
    await world.pass(2 * minute);
    const task = (await world.allTasks())[0]?.id as number;
    await waive(task);
    await world.endAll();
    await world.act();
    expect(world.executor.started).to.deep.equal([1, 3]);
  });

  it('is refused for a Task that has ended', async () => {
    await world.template({});
    await world.act();
    await world.endAll();
    const error = await rejectionOf(waive(1));
    expect(error).to.include({ code: 'conflict', message: 'Task 1 has already ended: it was fulfilled in time.' });
  });

  it('is made of several Tasks, whatever the order of their ids, or of none', async () => {
    for (const name of ['one', 'two']) await world.template({ name });
    await world.schedule();
    const waiveAll = (ids: readonly number[]) =>
      world.audited.transaction(world.actor, (tables) =>
        waiveTasksByPerson(tables, world.actor, ids, { reason: 'closed' }),
      );
    expect(await rejectionOf(waiveAll([2, 1, 99]))).to.include({ code: 'not_found' });
    expect((await world.allTasks()).map(({ state }) => state)).to.deep.equal(['open', 'open']);
    expect((await waiveAll([2, 1])).map(({ id, state }) => [id, state])).to.deep.equal([
      [1, 'cancelled'],
      [2, 'cancelled'],
    ]);
  });

  it('is refused without a reason, for an unknown Task, and to those who may not run jobs', async () => {
    await world.template({});
    await world.schedule();
    for (const [reason, message] of [
      [null, /reason/],
      ['  ', /reason must say why/],
      [7, /reason must be a text/],
      ['x'.repeat(501), /reason/],
    ] as const)
      expect(await rejectionOf(waive(1, reason)), String(reason))
        .to.have.property('message')
        .that.matches(message);
    expect(await rejectionOf(waive(99))).to.include({ code: 'not_found' });
    const { company_id } = await world.task(1);
    const viewer = user(5, [], { [company_id]: 'viewer' });
    expect(await rejectionOf(waive(1, 'closed', viewer))).to.include({ code: 'denied' });
    expect(await world.task(1)).to.include({ state: 'open' });
  });
});
