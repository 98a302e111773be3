import type { JobRow } from '@horarium/core';
import { expect } from 'chai';
import { maxDepth } from '#core/event/processor/jobs-of-plan';
import { refusal } from '../../support/worlds/record-world.ts';
import { ChainWorld } from './chain-world.ts';

describe('Chains', () => {
  let world: ChainWorld;
  beforeEach(() => {
    world = new ChainWorld();
  });
  afterEach(() => world.during(world.chain.stop()));

  it('run a template when another one has succeeded, and name each event and the jobs that it caused', async () => {
    await world.define('backup');
    await world.define('report');
    await world.define('mail');
    await world.when('backup', 'report');
    await world.when('report', 'mail');
    await world.chain.start();
    await world.run('backup');
    await world.time.pass(5000);
    expect(world.shownCalls()).to.deep.equal(['backup', 'report', 'mail']);
    const jobs = await world.jobs();
    expect(jobs.map(({ trigger, event_id }) => [trigger, event_id])).to.deep.equal([
      ['adhoc', null],
      ['chain', 1],
      ['chain', 2],
    ]);
    const events = await world.events();
    expect(events.map(({ kind, event, state, job_id, reason }) => [kind, event, state, job_id, reason])).to.deep.equal([
      ['job', 'succeeded', 'done', 1, null],
      ['job', 'succeeded', 'done', 2, null],
    ]);
    const { chain } = world;
    const idsBy = async (filters: object) =>
      (await chain.events.list(world.actor, { order: 'id', filters: { ...filters } })).rows.map(({ id }) => id);
    expect(await idsBy({ kind: 'job', event: 'succeeded' })).to.deep.equal([1, 2]);
    expect(await idsBy({ kind: 'source' })).to.deep.equal([]);
    expect(await idsBy({ event: 'failed' })).to.deep.equal([]);
    const shown = await chain.forChannels.serialize(chain.events.resource, events, 'item');
    expect(shown.map((event) => event['jobs'])).to.deep.equal(
      await Promise.all(
        [jobs[1], jobs[2]].map((job) => chain.forChannels.serialize(chain.jobs.resource, [job as JobRow], 'list')),
      ),
    );
    const [, job] = await chain.forChannels.serialize(chain.jobs.resource, jobs, 'item');
    expect(job?.['event_id']).to.equal(1);
    expect(job?.['events']).to.have.length(1).and.to.have.nested.property('[0].id', 2);
  });

  it('follow a success, a failure, or either', async () => {
    for (const name of ['work', 'on success', 'on failure', 'always']) await world.define(name);
    await world.when('work', 'on success', { event: 'succeeded' });
    await world.when('work', 'on failure', { event: 'failed' });
    await world.when('work', 'always', { event: 'completed' });
    await world.chain.start();
    await world.run('work');
    await world.time.pass(3000);
    expect(world.shownCalls().toSorted()).to.deep.equal(['always', 'on success', 'work']);
    world.failing.add('work');
    world.calls.length = 0;
    await world.run('work');
    await world.time.pass(3000);
    expect(world.shownCalls().toSorted()).to.deep.equal(['always', 'on failure', 'work']);
  });

  it('follow the Tasks of a template: fulfilled, failed or missed', async () => {
    const template = await world.chain.every('minutely', 'work', () => {
      world.calls.push({ name: 'work', environment: {} });
      if (world.failing.has('work')) throw new Error('fails');
    });
    world.templates.set('work', template.id);
    for (const event of ['task_fulfilled', 'task_failed', 'task_missed']) {
      await world.define(event, ['CODE', 'TASK']);
      const mapping = event === 'task_missed' ? { TASK: 'task_id' } : { TASK: 'task_id', CODE: 'exit_code' };
      await world.when('work', event, { event, env_mapping: mapping });
    }
    await world.chain.start();
    await world.time.pass(40_000);
    world.failing.add('work');
    await world.time.pass(60_000);
    expect(world.shownCalls('TASK', 'EVENT_EVIDENCE', 'EVENT_RECORD_ID')).to.deep.equal([
      'work',
      'task_fulfilled TASK=1 EVENT_EVIDENCE=task_fulfilled EVENT_RECORD_ID=1',
      'work',
      'task_failed TASK=2 EVENT_EVIDENCE=task_failed EVENT_RECORD_ID=2',
    ]);
    await world.during(world.chain.stop());
    await world.time.pass(10 * 60_000);
    world.calls.length = 0;
    const later = world.core();
    await later.onDemand('task_missed', () => void world.calls.push({ name: 'task_missed', environment: {} }));
    await later.start();
    await world.time.pass(5000);
    await world.during(later.stop());
    expect(world.calls.length).to.be.greaterThan(5);
  });

  it('follow a Task again that a repetition has fulfilled', async () => {
    const template = await world.chain.every('minutely', 'work', () => {
      if (world.failing.has('work')) throw new Error('fails');
    });
    world.templates.set('work', template.id);
    await world.define('report', ['TASK']);
    await world.when('work', 'report', { event: 'task_fulfilled', env_mapping: { TASK: 'task_id' } });
    world.failing.add('work');
    await world.chain.start();
    await world.time.pass(40_000);
    expect(world.shownCalls()).to.deep.equal([]);
    world.failing.clear();
    await world.chain.jobs.schedule(world.actor, { task_id: 1 });
    await world.time.pass(5000);
    expect(world.shownCalls('TASK')).to.deep.equal(['report TASK=1']);
  });

  it('write no event where no enabled rule listens', async () => {
    await world.define('work');
    await world.define('other');
    await world.when('work', 'other', { event: 'failed' });
    await world.when('work', 'other', { enabled: false });
    await world.chain.start();
    await world.run('work');
    await world.time.pass(3000);
    expect([world.shownCalls(), await world.events()]).to.deep.equal([['work'], []]);
  });

  it('set an event aside whose template is not active, fire its other rules, and fire that one once it is retried', async () => {
    for (const name of ['work', 'paused', 'other']) await world.define(name);
    await world.when('work', 'paused', { priority: 1 });
    await world.when('work', 'other');
    const { chain, actor } = world;
    const setActive = (active: boolean) => chain.runTemplates.save(actor, { id: world.template('paused'), active });
    await setActive(false);
    await chain.start();
    await world.run('work');
    await world.time.pass(3000);
    expect(world.shownCalls()).to.deep.equal(['work', 'other']);
    const [event] = await world.events();
    const paused = world.template('paused');
    expect([event?.state, event?.reason]).to.deep.equal([
      'set_aside',
      `EventRule 1: RunTemplate ${paused} is not active.`,
    ]);
    await setActive(true);
    await chain.events.retry(actor, 1);
    await world.time.pass(3000);
    expect(world.shownCalls()).to.deep.equal(['work', 'other', 'paused']);
    const [retried] = await world.events();
    expect([retried?.state, retried?.reason, retried?.attempts]).to.deep.equal(['done', null, 2]);
    const error = await refusal(chain.events.retry(actor, 1));
    expect(error.message).to.equal('Event 1 is done: only one that was set aside is retried.');
  });

  it('stop after a maximum of jobs with a reason', async () => {
    const names = Array.from({ length: maxDepth + 2 }, (_, index) => `step ${index}`);
    for (const name of names) await world.define(name);
    for (const [index, name] of names.entries()) if (index > 0) await world.when(names[index - 1] as string, name);
    await world.chain.start();
    await world.run('step 0');
    await world.time.pass(120_000);
    expect(world.shownCalls()).to.deep.equal(names.slice(0, maxDepth + 1));
    expect((await world.events()).at(-1)?.reason).to.match(/the chain that led to it has more than 32 jobs$/);
  });

  it('set an event aside while the queue of the company is full', async () => {
    await world.during(world.chain.stop());
    world = new ChainWorld({ maxQueued: 1 });
    for (const name of ['work', 'later', 'second']) await world.define(name);
    await world.when('work', 'later');
    await world.when('work', 'second');
    await world.chain.start();
    await world.run('work');
    await world.time.pass(3000);
    const [event] = await world.events();
    expect([event?.state, event?.reason]).to.deep.equal([
      'set_aside',
      'EventRule 2: the company has the maximum number of waiting jobs',
    ]);
    expect(world.shownCalls()).to.deep.equal(['work', 'later']);
  });
});
