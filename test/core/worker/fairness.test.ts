import type { RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import fc, { type Stream } from 'fast-check';
import { Jobs } from '#core/job/jobs';
import { stalledWait } from '#core/loop/loop';
import type { Runner } from '#core/worker/runner';
import { testPreparation } from '../../support/simulation/world/preparation.ts';
import { recordsContext, refusal } from '../../support/worlds/record-world.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

// A worker of a `RunnerWorld` has ten slots, of which one company may hold eight.
const share = 8;

describe('Companies that share a worker', () => {
  let world: RunnerWorld;
  let runner: Runner;
  let busy: RunTemplateRow;
  let quiet: RunTemplateRow;

  beforeEach(async () => {
    world = new RunnerWorld();
    runner = world.worker();
    busy = await world.template({ interval: 'none', overlap: 'allow' });
    quiet = await world.template({ interval: 'none', overlap: 'allow', company_id: await world.company('quiet') });
  });

  async function schedule(template: Pick<RunTemplateRow, 'id'>, count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let job = 0; job < count; job += 1)
      ids.push((await world.jobs.schedule(world.actor, { runtemplate_id: template.id, scheduled_at: 'now' })).id);
    return ids;
  }

  /** Ticks until the runner has nothing to do but to wait for places. */
  async function runUntilRest(each: Runner): Promise<void> {
    each.lookForJobs();
    for (let ticks = 0; ticks < 20; ticks += 1) if ((await each.tick()) >= stalledWait) return;
    throw new Error('The runner does not come to rest.');
  }

  it('leave the last quarter of the slots to each other, however many jobs one has due', async () => {
    const sleepers = await schedule(busy, 40);
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal(sleepers.slice(0, share));
    const [job] = await schedule(quiet, 1);
    await runUntilIdle(runner);
    expect(world.executor.started.slice(share)).to.deep.equal([job]);
  });

  it('let one have every slot while no other one is enabled', async () => {
    const alone = new RunnerWorld();
    const template = await alone.template({ interval: 'none', overlap: 'allow' });
    await alone.company('disabled', { enabled: false });
    for (let job = 0; job < 12; job += 1) await alone.jobs.schedule(alone.actor, { runtemplate_id: template.id });
    await runUntilIdle(alone.worker());
    expect(alone.executor.started).to.have.length(10);
  });

  it('take turns: what is free goes to the one that holds fewer slots', async () => {
    const first = await schedule(busy, 40);
    await runUntilIdle(runner);
    const jobs = await schedule(quiet, 20);
    await runUntilIdle(runner);
    expect(world.executor.started.slice(share)).to.deep.equal(jobs.slice(0, 2));
    for (const id of first.slice(0, 4)) await world.executor.end(id);
    await runUntilIdle(runner);
    expect(world.executor.started.slice(share + 2)).to.have.members([...jobs.slice(2, 5), first[share]]);
  });

  it('starve none: of those that hold no slot each has one when as many jobs have ended, whichever these are', async () => {
    const floods = fc.array(fc.integer({ min: 3, max: 20 }), { minLength: 2, maxLength: 4 });
    const ends = fc.infiniteStream(fc.nat(1000));
    const starvesNone = async (jobs: readonly number[], waiting: number, order: Stream<number>) => {
      const own = new RunnerWorld();
      const worker = own.worker();
      const newTemplate = async (code: string) =>
        own.template({ interval: 'none', overlap: 'allow', company_id: await own.company(code) });
      const start = async (template: RunTemplateRow) =>
        (await own.jobs.schedule(own.actor, { runtemplate_id: template.id, scheduled_at: 'now' })).id;
      for (const [index, count] of jobs.entries()) {
        const template = await newTemplate(`flood-${index}`);
        for (let job = 0; job < count; job += 1) await start(template);
      }
      await runUntilIdle(worker);
      const quiet: number[] = [];
      for (let index = 0; index < waiting; index += 1) quiet.push(await start(await newTemplate(`quiet-${index}`)));
      for (let ended = 0; ended < waiting && worker.worker.running.length > 0; ended += 1) {
        const running = worker.worker.running.filter((id) => !quiet.includes(id));
        await own.executor.end(running[(order.next().value ?? 0) % running.length] as number);
        await runUntilIdle(worker);
      }
      expect(own.executor.started).to.include.members(quiet);
    };
    await fc.assert(fc.asyncProperty(floods, fc.integer({ min: 1, max: 4 }), ends, starvesNone), { numRuns: 20 });
  });

  it('do not make a runner look for work more often because one has jobs due that may not start', async () => {
    await schedule(busy, 40);
    await runUntilIdle(runner);
    expect(await world.ticksInASecond(runner)).to.be.at.most(3);
  });

  it('are woken for a job of another one that falls due, while one has jobs due that may not start', async () => {
    await schedule(busy, 40);
    await runUntilIdle(runner);
    const at = new Date(world.time.now + 300).toISOString();
    const { id } = await world.jobs.schedule(world.actor, { runtemplate_id: quiet.id, scheduled_at: at });
    runner.expectJobs();
    await world.time.pass(await runner.tick());
    expect(new Date(world.time.now).toISOString()).to.equal(at);
    await runUntilIdle(runner);
    expect(world.executor.started).to.include(id);
  });

  it('have their own jobs started by priority, then by when they are due', async () => {
    const urgent = await world.template({
      interval: 'none',
      overlap: 'allow',
      priority: 5,
      company_id: busy.company_id,
    });
    const late = await world.template({
      interval: 'none',
      overlap: 'allow',
      priority: -1,
      company_id: busy.company_id,
    });
    const [last] = await schedule(late, 1);
    const ordinary = await schedule(busy, 12);
    const first = await schedule(urgent, 3);
    await runUntilIdle(runner);
    expect(world.executor.started).to.have.members([...first, ...ordinary.slice(0, 5)]);
    for (const id of [...world.executor.started]) await world.executor.end(id);
    await runUntilIdle(runner);
    expect(world.executor.started.slice(share)).to.deep.equal([...ordinary.slice(5), last]);
  });

  it('wait above the max_running of one, counted on all hosts', async () => {
    const company_id = await world.company('limited', { max_running: 3 });
    const limited = await world.template({ interval: 'none', overlap: 'allow', company_id });
    const jobs = await schedule(limited, 6);
    const others = [runner, world.worker()];
    await Promise.all(others.map((each) => runUntilRest(each)));
    expect(world.executor.started).to.have.members(jobs.slice(0, 3));
    await world.executor.end(world.executor.started[0] as number);
    for (const each of others) await runUntilRest(each);
    expect(world.executor.started).to.have.length(4);
    const [other] = await schedule(quiet, 1);
    await runUntilRest(runner);
    expect(world.executor.started).to.include(other);
  });

  it('do not make a runner look for work more often because some are at their max_running', async () => {
    for (const code of ['first', 'second']) {
      const company_id = await world.company(code, { max_running: 1 });
      await schedule(await world.template({ interval: 'none', overlap: 'allow', company_id }), 3);
    }
    await runUntilRest(runner);
    expect(world.executor.started).to.have.length(2);
    expect(await world.ticksInASecond(runner)).to.be.at.most(3);
    await world.executor.end(world.executor.started[0] as number);
    await runUntilRest(runner);
    expect(world.executor.started).to.have.length(3);
  });

  it('are served within a second of a place that another host gave back', async () => {
    const company_id = await world.company('limited', { max_running: 1 });
    await schedule(await world.template({ interval: 'none', overlap: 'allow', company_id }), 2);
    const other = world.worker();
    await runUntilRest(other);
    await runUntilRest(runner);
    expect(await runner.tick()).to.be.within(500, 1000);
    await world.executor.end(world.executor.started[0] as number);
    other.worker.stopClaiming();
    await runUntilRest(other);
    await world.time.pass(1000);
    await runUntilRest(runner);
    expect([runner.worker.running, other.worker.running].map(({ length }) => length)).to.deep.equal([1, 0]);
  });

  it('wait above the max_running of a template, and start as many as end', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow', max_running: 3 });
    const jobs = await schedule(template, 8);
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal(jobs.slice(0, 3));
    for (const id of jobs.slice(0, 3)) await world.executor.end(id);
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal(jobs.slice(0, 6));
    await world.edit(template.id, { max_running: null });
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal(jobs);
  });

  it('cannot have more jobs wait than the limit, but get those of windows', async () => {
    const { vault } = testPreparation();
    const limits = { records: recordsContext(world.audited), vault, maxQueued: 3 };
    const jobs = new Jobs(limits);
    for (let job = 0; job < 3; job += 1) await jobs.schedule(world.actor, { runtemplate_id: busy.id });
    const refused = await refusal(jobs.schedule(world.actor, { runtemplate_id: busy.id }));
    expect(refused).to.include({ code: 'too_many_requests' });
    expect(refused.message).to.match(/^Company \d+ may have 3 jobs waiting, which is the limit/);
    await jobs.schedule(world.actor, { runtemplate_id: quiet.id });
    await world.template({ company_id: busy.company_id, interval: 'hourly' });
    await world.schedule();
    expect(await world.allJobs()).to.have.length(5);
  });

  it('have waiting jobs follow a change of the priority of their template', async () => {
    const other = await world.template({ interval: 'none', overlap: 'allow', company_id: busy.company_id });
    await schedule(busy, 12);
    const [raised] = await schedule(other, 1);
    await world.edit(other.id, { priority: 1 });
    await runUntilIdle(runner);
    expect(world.executor.started).to.include(raised);
  });
});
