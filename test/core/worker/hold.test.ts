import type { RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { serialize } from '#core/resource/serialize';
import { findResource } from '#core/resources';
import type { Runner } from '#core/worker/runner';
import { RunnerWorld } from '../../support/worlds/runner-world.ts';

describe('The reason why a due job waits', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  async function schedule(template: RunTemplateRow, count: number, fields: object = {}): Promise<number[]> {
    const ids: number[] = [];
    for (let job = 0; job < count; job += 1)
      ids.push((await world.jobs.schedule(world.actor, { runtemplate_id: template.id, ...fields })).id);
    return ids;
  }

  /** Lets a worker start what it may. */
  async function run(runner: Runner = world.worker()): Promise<void> {
    for (let ticks = 0; ticks < 10; ticks += 1) await runner.tick();
    await world.time.pass(1000);
  }

  async function reasonOf(id: number | undefined): Promise<unknown> {
    const job = await world.job(id as number);
    const [shown] = await serialize((work) => world.audited.read(work), findResource('Job'), [job], 'item');
    return shown?.['waiting_reason'];
  }

  it('is the max_running of its company', async () => {
    const company_id = await world.company('limited', { max_running: 1 });
    const jobs = await schedule(await world.template({ interval: 'none', overlap: 'allow', company_id }), 2);
    await run();
    expect(await reasonOf(jobs[0])).to.equal(null);
    expect(await reasonOf(jobs[1])).to.equal(`company ${company_id} runs as many jobs as its max_running allows`);
  });

  it('is the max_running of its template', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow', max_running: 1 });
    const jobs = await schedule(template, 2);
    await run();
    expect(await reasonOf(jobs[1])).to.equal(`RunTemplate ${template.id} runs as many jobs as its max_running allows`);
  });

  it('is the job that it may not overlap', async () => {
    const template = await world.template({ interval: 'none', overlap: 'forbid' });
    const [first, second] = await schedule(template, 2);
    await run();
    expect(await reasonOf(second)).to.equal(
      `job ${first} of RunTemplate ${template.id} runs, and its overlap is forbid`,
    );
  });

  it('is the job that it replaces, until that one has stopped', async () => {
    const template = await world.template({ interval: 'none', overlap: 'replace' });
    const [first, second] = await schedule(template, 2);
    await run();
    expect(await reasonOf(second)).to.equal(`job ${first}, which this one replaces, is being stopped`);
  });

  it('is the running job also under replace, for a repetition, which replaces none', async () => {
    const template = await world.template({ overlap: 'replace', deadline: '+10m' });
    await world.schedule();
    await world.time.pass(11 * 60_000);
    await world.schedule();
    const [first] = await schedule(template, 1);
    await run();
    const { id } = await world.jobs.schedule(world.actor, { task_id: 1 });
    await run();
    expect(await reasonOf(id)).to.equal(`job ${first} of RunTemplate ${template.id} runs, and its overlap is replace`);
  });

  it('is the share of its company while another one is enabled', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow' });
    await world.company('other');
    const jobs = await schedule(template, 9);
    await run();
    expect(await reasonOf(jobs[7])).to.equal(null);
    expect(await reasonOf(jobs[8])).to.equal(
      `company ${template.company_id} holds its share of the slots, and the others are left to other companies`,
    );
  });

  it('is that all slots are taken', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow' });
    const jobs = await schedule(template, 11);
    await run();
    expect(await reasonOf(jobs[10])).to.equal(
      'all slots of the workers are taken, and companies take turns at those that become free',
    );
  });

  it('is that no worker has its executor', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow', executor: 'elsewhere' });
    const [job] = await schedule(template, 1);
    const none = 'no worker has the executor elsewhere: one must start, or a program elsewhere claim the job';
    expect(await reasonOf(job)).to.equal(null);
    await run();
    expect(await reasonOf(job)).to.equal(none);
  });

  it('is none for a job that is not due, or that a worker is about to start', async () => {
    const template = await world.template({ interval: 'none', overlap: 'allow' });
    const runner = world.worker();
    await run(runner);
    const at = new Date(world.time.now + 60_000).toISOString();
    const [later] = await schedule(template, 1, { scheduled_at: at });
    const [due] = await schedule(template, 1);
    expect(await reasonOf(later)).to.equal(null);
    expect(await reasonOf(due)).to.equal(null);
  });
});
