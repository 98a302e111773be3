import { AuditLog, Pause, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { pauseFields } from '#core/pause/pause-fields';
import { holdOf } from '#core/worker/hold';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { hour, minute, PauseWorld } from './pause-world.ts';

/** The world begins at 05:00 UTC, at the start of a window. */
describe('A pause', () => {
  let world: PauseWorld;

  beforeEach(() => {
    world = new PauseWorld();
  });

  const requested = { interval: 'none', overlap: 'allow' } as const;

  it('holds jobs that are due, lets running ones end, and releases those that it held by itself', async () => {
    await world.template({ overlap: 'allow' });
    await world.act();
    await world.pause(90 * minute);
    await world.pass(hour);
    await world.endAll();
    expect(await world.jobStates()).to.equal('succeeded, scheduled');
    expect(await world.taskStates()).to.equal('1 fulfilled, 1 open');
    await world.pass(30 * minute);
    expect(await world.jobStates()).to.equal('succeeded, running');
    await world.endAll();
    expect(await world.taskStates()).to.equal('2 fulfilled');
  });

  it('ends when a person resumes, and the pause says so', async () => {
    await world.template({});
    const { id } = await world.pause(null);
    await world.act();
    expect(await world.jobStates()).to.equal('scheduled');
    await world.resume(id);
    await world.act();
    expect(await world.jobStates()).to.equal('running');
    expect(await world.pauses.get(world.actor, id)).to.deep.include({
      until: world.time.now,
      ended_at: world.time.now,
      released_at: world.time.now,
    });
  });

  it('ends when it is deleted', async () => {
    await world.template({});
    const { id } = await world.pause(null);
    await world.act();
    await world.pauses.delete(world.actor, id);
    await world.act();
    expect(await world.jobStates()).to.equal('running');
  });

  it('holds nothing before it starts', async () => {
    await world.template({ overlap: 'allow' });
    const starts_at = new Date(world.time.now + 30 * minute).toISOString();
    await world.pause(3 * hour, { starts_at });
    await world.act();
    expect(await world.jobStates()).to.equal('running');
    await world.pass(hour);
    expect(await world.jobStates()).to.equal('running, scheduled');
  });

  it('holds the jobs of its run template or its company alone', async () => {
    const held = await world.template({});
    await world.template({ name: 'other' });
    const beta = await world.company('beta');
    const { id: heldCompany } = await world.template({ name: 'of beta', company_id: beta });
    await world.pause(hour, { runtemplate_id: held.id });
    await world.pause(hour, { company_id: beta });
    await world.act();
    const running = (await world.allJobs()).filter(({ state }) => state === 'running');
    expect(running.map((job) => job.runtemplate_id)).to.deep.equal([2]);
    expect(heldCompany).to.equal(3);
  });

  it('holds jobs until its end, also when another pause ends before', async () => {
    await world.template({ ...requested });
    await world.jobs.schedule(world.actor, { runtemplate_id: 1, scheduled_at: new Date(world.time.now).toISOString() });
    const first = await world.pause(hour, { runtemplate_id: 1 });
    await world.pause(2 * hour);
    await world.act();
    await world.resume(first.id);
    await world.act();
    expect(await world.jobStates()).to.equal('scheduled');
    await world.pass(2 * hour);
    expect(await world.jobStates()).to.equal('running');
  });

  it('keeps the order of jobs that may not overlap', async () => {
    const { id } = await world.template({ ...requested, overlap: 'forbid' });
    for (let minutes = 3; minutes > 0; minutes -= 1) {
      const scheduled_at = new Date(world.time.now + minutes * minute).toISOString();
      await world.jobs.schedule(world.actor, { runtemplate_id: id, scheduled_at });
    }
    await world.pause(hour);
    await world.pass(hour);
    const order: number[] = [];
    for (let ended = 0; ended < 3; ended += 1) {
      order.push(...(await world.allJobs()).filter(({ state }) => state === 'running').map((job) => job.id));
      await world.endAll();
    }
    expect(order).to.deep.equal([3, 2, 1]);
  });

  it('does not stop the running job that a held one would replace', async () => {
    await world.template({ overlap: 'replace', deadline: '+10m', allow_late: true });
    await world.act();
    await world.pause(90 * minute);
    await world.pass(hour);
    expect((await world.job(1)).stop_reason).to.equal(null);
    await world.pass(30 * minute);
    expect((await world.job(1)).stop_reason).to.equal('replaced by job 2');
  });

  describe('in which the start deadlines of Tasks pass', () => {
    it('cancels them and their jobs, with who paused until when', async () => {
      await world.template({});
      await world.pause(150 * minute);
      await world.pass(2 * hour + minute);
      const reason = 'paused by anna until 2026-11-21T07:30:00.000Z: lunch';
      const tasks = (await world.allTasks()).map(({ state, reason }) => ({ state, reason }));
      expect(tasks).to.deep.equal([
        { state: 'cancelled', reason },
        { state: 'cancelled', reason },
        { state: 'open', reason: null },
      ]);
      const jobs = (await world.allJobs()).map(({ state, reason }) => ({ state, reason }));
      expect(jobs.slice(0, 2)).to.deep.equal([
        { state: 'cancelled', reason },
        { state: 'cancelled', reason },
      ]);
      await world.pass(29 * minute);
      expect(await world.jobStates()).to.equal('cancelled, cancelled, running');
    });

    it('leaves those alone whose start deadline passes after it', async () => {
      await world.template({ deadline: '+20m' });
      await world.pause(20 * minute);
      await world.pass(20 * minute);
      expect(await world.taskStates()).to.equal('1 running');
      await world.endAll();
      await world.pause(59 * minute);
      await world.pass(hour);
      expect(await world.taskStates()).to.equal('1 fulfilled, 1 running');
    });

    it('fails those that have been tried, and names the pause', async () => {
      await world.template({ max_attempts: 3, retry_backoff: 'fixed', retry_delay: 600 });
      await world.act();
      await world.executor.end(1, 1, { finishedAt: world.time.now });
      await world.act();
      await world.pause(90 * minute);
      await world.pass(hour + minute);
      expect(await world.task(1)).to.deep.include({
        state: 'failed',
        reason:
          'no further attempt was started by the start deadline, 2026-11-21T06:00:00.000Z; paused by anna until 2026-11-21T06:30:00.000Z: lunch',
      });
    });

    it('runs the newest one of each run template afterwards with catch_up latest', async () => {
      await world.template({ overlap: 'allow' });
      await world.pause(150 * minute, { catch_up: 'latest' });
      await world.pass(2 * hour + minute);
      expect(await world.taskStates()).to.equal('1 cancelled caught up, 1 open caught up, 1 open');
      await world.pass(29 * minute);
      expect(await world.jobStates()).to.equal('cancelled, running, running');
      await world.endAll();
      expect((await world.allTasks()).map(({ state }) => state)).to.deep.equal([
        'cancelled',
        'fulfilled_late',
        'fulfilled',
      ]);
      expect((await world.job(2)).trigger).to.equal('catch_up');
    });

    it('runs each of them afterwards with catch_up all', async () => {
      await world.template({ overlap: 'allow' });
      await world.pause(150 * minute, { catch_up: 'all' });
      await world.pass(150 * minute);
      expect(await world.jobStates()).to.equal('running, running, running');
    });

    it('leaves those that wait to be caught up after an outage before it', async () => {
      await world.template({ catch_up: 'all' });
      await world.time.pass(3 * hour);
      await world.pause(90 * minute, { catch_up: 'latest' });
      await world.pass(hour + minute);
      expect(await world.taskStates()).to.equal('4 open caught up, 1 open');
    });

    it('cancels them also if nothing scheduled meanwhile', async () => {
      await world.template({ catch_up: 'all' });
      await world.pause(150 * minute);
      await world.time.pass(4 * hour);
      await world.act();
      expect(await world.taskStates()).to.equal('2 cancelled, 2 open caught up, 1 running');
    });

    it('leaves windows that passed while nothing scheduled to the catch_up of their run template, if it may catch up', async () => {
      await world.template({ catch_up: 'none' });
      await world.pause(150 * minute, { catch_up: 'latest' });
      await world.time.pass(4 * hour);
      await world.act();
      expect(await world.taskStates()).to.equal('4 missed, 1 running');
    });
  });

  it('is looked at before a blocked job counts as stranded', async () => {
    await world.template({});
    const { id } = await world.pause(null);
    await world.act();
    await world.strandedJobs.tick();
    expect(await world.job(1)).to.include({ state: 'scheduled', queue_at: null });
    await world.audited.transaction(world.actor, (tables) => tables.of(Pause).delete([['id', '=', id]]));
    await world.strandedJobs.tick();
    await world.act();
    expect(await world.jobStates()).to.equal('running');
  });

  it('is why a due job waits', async () => {
    await world.template({});
    await world.pause(hour);
    await world.act();
    const hold = async () => {
      const job = await world.job(1);
      return world.audited.read((tables) => holdOf(tables, job));
    };
    expect(await hold()).to.deep.equal({
      name: 'paused',
      reason: 'paused by anna until 2026-11-21T06:00:00.000Z: lunch',
    });
    await world.pass(hour);
    expect(await hold()).to.equal(null);
  });

  it('refuses an ad hoc job that would start in it, but not one that is due later', async () => {
    const { id } = await world.template(requested);
    const pause = await world.pause(hour, { runtemplate_id: id });
    const error = await rejectionOf(world.jobs.schedule(world.actor, { runtemplate_id: id }));
    expect(error).to.deep.include({
      code: 'conflict',
      message: `RunTemplate ${id} is paused by anna until 2026-11-21T06:00:00.000Z: lunch (Pause ${pause.id}).`,
    });
    await world.jobs.schedule(world.actor, {
      runtemplate_id: id,
      scheduled_at: new Date(world.time.now + hour).toISOString(),
    });
    expect(await world.jobStates()).to.equal('scheduled');
  });

  it('is found again by a host that starts after another one has ended it, and was killed', async () => {
    await world.template({});
    const { id } = await world.pause(null);
    await world.act();
    await world.audited.transaction(world.actor, async (tables) => {
      const [row] = await tables.of(Pause).find({ where: [['id', '=', id]] });
      await tables.of(Pause).update([{ row: row as NonNullable<typeof row>, set: { ended_at: world.time.now } }]);
    });
    await world.act();
    expect(await world.jobStates()).to.equal('running');
  });

  it('names itself in the run templates that it holds', async () => {
    const { id } = await world.template({});
    const pause = await world.pause(hour);
    const shown = () =>
      world.audited.read(async (tables) =>
        pauseFields.load?.(tables, await tables.of(RunTemplate).find({ where: [['id', '=', id]] })),
      );
    expect(await shown()).to.deep.equal([{ pause_id: pause.id }]);
    await world.resume(pause.id);
    expect(await shown()).to.deep.equal([{ pause_id: null }]);
  });

  it('is an entry of the audit log when it is made, and when it ends by itself', async () => {
    await world.template({});
    await world.pause(hour);
    await world.pass(hour);
    const entries = await world.audited.read(async (tables) => tables.of(AuditLog).find());
    const ofPause = entries.filter(({ entity_type }) => entity_type === 'Pause');
    expect(
      ofPause.map(({ actor, action, changes }) => [actor, action, Object.keys(changes).includes('ended_at')]),
    ).to.deep.equal([
      ['anna', 'create', false],
      ['scheduler', 'update', true],
    ]);
  });
});
