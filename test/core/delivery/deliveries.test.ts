import {
  type AnyRow,
  AuditLog,
  Job,
  type ListedAction,
  RunTemplate,
  type TableDescription,
  type Tables,
} from '@horarium/core';
import { mask } from '@horarium/core/plugin';
import { expect } from 'chai';
import { noActions } from '#core/action/action-lists';
import type { ChangedRows } from '#core/audit/observed-changes';
import { DeliveryOutbox } from '#core/delivery/delivery-outbox';
import { overrideTables } from '#core/store/override-tables';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { DeliveryWorld, hour } from '../../support/worlds/delivery-world.ts';
import { user } from '../../support/worlds/record-world.ts';

describe('Deliveries', () => {
  const tell = { action: 'tell', to: 'ops' };
  const everything = {
    on_start: [tell],
    on_success: [tell],
    on_failure: [tell],
    on_late: [tell],
    on_missed: [tell],
    on_recovered: [tell],
  };

  it('follow the start and the ending of a Task, and never an attempt that is retried', async () => {
    const world = await new DeliveryWorld().seed();
    const { id } = await world.addTemplate({ ...everything, max_attempts: 2 });
    await world.advance(hour);
    await world.runJob(3);
    await world.deliver();
    expect(world.events).to.deep.equal(['on_start']);
    await world.runJob(3);
    await world.deliver();
    expect(world.events).to.deep.equal(['on_start', 'on_failure']);
    const [start, { notice, id: messageId } = expect.fail()] = world.told;
    expect(notice).to.deep.include({
      failures: 1,
      reason: 'the last attempt failed (exit code 3); all 2 attempts are used up',
    });
    expect(notice.runtemplate).to.deep.equal({ id, code: 'nightly', name: 'Nightly backup' });
    expect(notice.company).to.deep.include({ code: 'acme' });
    expect(notice.app).to.deep.include({ code: 'backup' });
    expect(notice.job).to.deep.include({ exit_code: 3, attempt: 2 });
    expect(notice.link).to.equal(`https://horarium.example/task/${notice.task?.id}`);
    expect(notice.run_id)
      .to.equal(start?.notice.run_id)
      .and.to.match(/^[0-9a-f-]{36}$/);
    expect(messageId).not.to.equal(start?.id);
    await world.advance(hour);
    await world.runJob(0);
    await world.deliver();
    expect(world.events.slice(2)).to.deep.equal(['on_start', 'on_success', 'on_recovered']);
    expect(world.told.at(-1)?.notice).to.deep.include({ failures: 1 });
  });

  it('follow missed Tasks, and recovery from them, but no cancellation', async () => {
    const world = await new DeliveryWorld().seed();
    const { id } = await world.addTemplate(everything);
    await world.advance(hour);
    await world.advance(hour);
    await world.deliver();
    expect(world.events).to.include('on_missed').and.not.to.include('on_start');
    const missed = world.told.length;
    expect(world.told.at(-1)?.notice.job).to.equal(null);
    await world.runJob(0);
    await world.deliver();
    expect(world.events.slice(missed)).to.deep.equal(['on_start', 'on_success', 'on_recovered']);
    await world.advance(hour);
    await world.claimJob();
    await world.core.runTemplates.save(world.actor, { id, active: false });
    const [running] = (await world.core.records('Job').list(world.actor)).rows;
    await world.core.jobs.cancel(world.actor, running?.id as number, null);
    await world.core.externalJobs.report(world.actor, running?.id as number, { exit_code: 1 }).catch(() => undefined);
    await world.deliver();
    expect(world.events.slice(missed + 3)).to.deep.equal(['on_start']);
  });

  it('follow a repetition, whose start is told while it runs, although its Task has ended', async () => {
    const world = await new DeliveryWorld().seed();
    // It owes one window.
    const ends_at = new Date(world.core.clock.now() + hour).toISOString();
    await world.addTemplate({ ...everything, ends_at });
    await world.advance(hour);
    await world.advance(hour);
    await world.deliver();
    expect(world.events).to.deep.equal(['on_missed']);
    await world.core.jobs.schedule(world.actor, { task_id: 1 });
    const job = await world.claimJob();
    await world.deliver();
    expect(world.told.at(-1)).to.include({ hasEnded: false }).and.to.nested.include({ 'notice.event': 'on_start' });
    await world.core.externalJobs.report(world.actor, job, { exit_code: 0 });
    await world.deliver();
    expect(world.events).to.deep.equal(['on_missed', 'on_start', 'on_success', 'on_late', 'on_recovered']);
    expect(world.told.at(-1)?.notice.reason).to.match(
      /^a repetition succeeded, as anna reported; before, it was missed: /,
    );
  });

  it('follow the lists of the template, its company and the service', async () => {
    const world = new DeliveryWorld({ serviceActions: { on_failure: [{ action: 'tell', to: 'service' }] } });
    await world.seed({ on_failure: [{ action: 'tell', to: 'company' }] });
    const template = await world.addTemplate({ interval: 'none', on_failure: [tell] });
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.runJob(1);
    await world.deliver();
    expect(world.told.map(({ options }) => options['to'])).to.deep.equal(['ops', 'company', 'service']);
    const viewer = user(8, [], { [world.owner.company_id]: 'viewer' });
    const { rows } = await world.core.deliveries.list(viewer);
    expect(rows.map(({ endpoint }) => endpoint)).to.deep.equal(['company', 'ops']);
    expect((await world.core.deliveries.list(user(9, [], {}))).rows).to.deep.equal([]);
    expect(world.told[0]?.notice).to.deep.include({ task: null });
  });

  it('tell the last lines of the output, and none at the start', async () => {
    const world = await new DeliveryWorld().seed();
    await world.addTemplate({ on_start: [tell], on_failure: [tell] });
    await world.advance(hour);
    const job = await world.claimJob();
    await world.deliver();
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`);
    await world.core.externalJobs.report(world.actor, job, { stdout: `${lines.join('\n')}\n` });
    await world.core.externalJobs.report(world.actor, job, { stderr: 'it is wrong\n', exit_code: 1 });
    await world.deliver();
    const told = world.told.map(({ notice }) => [notice.event, notice.output]);
    expect(told).to.deep.equal([
      ['on_start', null],
      ['on_failure', [...lines.slice(-19), 'it is wrong'].join('\n')],
    ]);
  });

  it('are written with the change of state or not at all', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    const { id } = await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    const start = async (tables: Tables) => {
      const [row = expect.fail()] = await tables.of(Job).find({ where: [['id', '=', id]] });
      await tables.of(Job).update([{ row, set: { state: 'running', started_at: await tables.now() } }]);
    };
    const failing = world.core.store.transaction(world.actor, async (tables) => {
      await start(tables);
      throw new Error('The transaction fails.');
    });
    expect(await rejectionOf(failing)).to.have.property('message', 'The transaction fails.');
    expect(await world.rows()).to.deep.equal([]);
    await world.core.store.transaction(world.actor, start);
    expect(await world.rows()).to.have.length(1);
  });

  it('cost one query a transaction where no action follows', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none' });
    const { id } = await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    const outbox = new DeliveryOutbox({ actions: world.actions, serviceActions: noActions(), vault: world.core.vault });
    await world.core.store.read(async (tables) => {
      const [before = expect.fail()] = await tables.of(Job).find({ where: [['id', '=', id]] });
      const read: string[] = [];
      const of = <R extends AnyRow>(table: TableDescription<R>) => {
        read.push(table.name);
        return tables.of(table);
      };
      const change = { before, after: { ...before, state: 'failed' as const } };
      const changed = (({ name }) => (name === 'Job' ? Array.from({ length: 100 }, () => change) : [])) as ChangedRows;
      await outbox.observe(overrideTables(tables, { of }), changed);
      expect(read).to.deep.equal(['ActionSubscription']);
    });
  });

  it('are tried again with a back-off over a day, then fail, and can be retried with the same id', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({
      interval: 'none',
      on_start: [{ ...tell, password: 'a planted secret' }],
    });
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    const ids = new Set<string>();
    world.receive = async ({ id, options }) => {
      ids.add(id);
      throw Object.assign(new Error(`The password ${options['password']} is wrong.`), {
        status: 503,
        response: 'later',
      });
    };
    let waited = 0;
    for (;;) {
      await world.deliver();
      const [row = expect.fail()] = await world.rows();
      if (row.state === 'failed') break;
      expect(row).to.deep.include({
        state: 'pending',
        error: `The password ${mask} is wrong.`,
        status: 503,
        response: 'later',
      });
      const wait = (row.next_at as number) - world.core.clock.now() + 1;
      waited += wait;
      world.core.clock.advance(wait);
    }
    expect(waited).to.be.within(23.5 * hour, 27 * hour);
    const [row = expect.fail()] = await world.rows();
    expect(row).to.deep.include({ attempts: 11, next_at: null });
    expect(world.failed.map(([{ id, state }, error]) => [id, state, error])).to.deep.equal([
      [row.id, 'pending', row.error],
      [row.id, 'failed', row.error],
    ]);
    world.receive = async ({ id, attempt }) => {
      ids.add(id);
      return { status: attempt };
    };
    const viewer = user(8, [], { [world.owner.company_id]: 'viewer' });
    expect(await rejectionOf(world.core.deliveries.retry(viewer, row.id))).to.have.property('code', 'denied');
    await world.core.deliveries.retry(user(9, [], { [world.owner.company_id]: 'operator' }), row.id);
    await world.deliver();
    expect((await world.rows())[0]).to.deep.include({ state: 'delivered', status: 12, error: null, next_at: null });
    expect([...ids]).to.deep.equal([row.message_id]);
    const stored = await world.core.store.read((tables) => tables.of(AuditLog).find());
    expect(JSON.stringify([await world.rows(), stored])).not.to.contain('a planted secret');
  });

  it('to an endpoint that does not respond delay none to others, and are tried again when the service restarts', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({
      interval: 'none',
      overlap: 'allow',
      on_start: [...Array.from({ length: 40 }, () => ({ action: 'tell', to: 'dead' })), tell],
    });
    world.receive = async ({ options: { to } }, signal) => {
      if (to === 'dead')
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return {};
    };
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    await world.deliveries.tick();
    await eventually('the others arrive', () => world.told.length === 1);
    await world.deliveries.drain();
    const waiting = (await world.rows()).filter(({ state }) => state === 'pending');
    expect(waiting).to.have.length(40);
    const tried = waiting.filter(({ attempts }) => attempts > 0);
    expect(tried).to.have.length(25);
    expect(tried[0]).to.deep.include({ tries: 0, error: 'The service stopped during the attempt.' });
    expect(Math.max(...waiting.map(({ next_at }) => next_at as number))).to.be.at.most(world.core.clock.now());
  });

  it('to several endpoints that do not respond leave room for others', async () => {
    const world = await new DeliveryWorld().seed();
    const dead = Array.from({ length: 50 }, (_none, index) => ({ action: 'tell', to: `dead ${index % 10}` }));
    const deaf = await world.addTemplate({ code: 'deaf', interval: 'none', overlap: 'allow', on_start: dead });
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    let underWay = 0;
    world.receive = async ({ options: { to } }, signal) => {
      underWay += 1;
      if (to !== 'ops')
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return {};
    };
    for (let job = 0; job < 4; job++) {
      await world.core.jobs.schedule(world.actor, { runtemplate_id: deaf.id });
      await world.claimJob();
    }
    await world.deliveries.tick();
    await eventually('they are under way', () => underWay === 75);
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    await world.deliveries.tick();
    await eventually('the other arrives', () => world.told.length === 1);
    await world.deliveries.drain();
  });

  it('are claimed by one host at a time, also while an attempt takes longer than a claim', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    let attempts = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    world.receive = async () => {
      attempts += 1;
      await promise;
      return {};
    };
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    const other = world.otherHost();
    for (let second = 0; second < 25; second++) {
      await world.deliveries.tick();
      await other.tick();
      world.core.clock.advance(1000);
    }
    expect(attempts).to.equal(1);
    resolve();
    await eventually('it has arrived', () => world.told.length === 1);
    await world.deliver();
    expect((await world.rows())[0]).to.deep.include({ state: 'delivered', attempts: 1 });
  });

  it('of a host that dies are made by another one, with the same id', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    const ids: string[] = [];
    world.receive = ({ id, attempt }) => {
      ids.push(id);
      return attempt === 1 ? new Promise(() => {}) : Promise.resolve({});
    };
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    await world.otherHost().tick();
    world.core.clock.advance(9000);
    await world.deliver();
    expect(ids).to.have.length(1);
    world.core.clock.advance(1001);
    await world.deliver();
    expect(ids).to.deep.equal([ids[0], ids[0]]);
    expect((await world.rows())[0]).to.deep.include({ state: 'delivered', attempts: 2 });
  });

  it('of a company with any number of endpoints that hang leave room for those of another', async () => {
    const world = await new DeliveryWorld().seed();
    const dead = Array.from({ length: 50 }, (_none, index) => ({ action: 'tell', to: `dead ${index}` }));
    const usual = { interval: 'none', overlap: 'allow' };
    const flood = await world.addTemplate({ ...usual, on_start: dead });
    const { id: company_id } = await world.core.companies.save(world.actor, { code: 'quiet', name: 'Quiet' });
    const quiet = await world.addTemplate({ ...usual, company_id, on_start: [tell] });
    world.receive = async ({ options: { to } }, signal) => {
      if (to !== 'ops')
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return {};
    };
    for (const { id } of [flood, flood, flood, quiet]) {
      await world.core.jobs.schedule(world.actor, { runtemplate_id: id });
      await world.claimJob();
      world.core.clock.advance(1);
    }
    await world.deliveries.tick();
    await eventually('those of the other arrive', () => world.told.length === 1);
    await world.deliveries.drain();
  });

  it('are made by the action that they were written for, wherever it stands in its list by then', async () => {
    const world = await new DeliveryWorld().seed();
    const to = (name: string) => ({ action: 'tell', to: name });
    const template = await world.addTemplate({ interval: 'none', on_start: [to('a'), to('b')] });
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    const [a, b] = template.on_start as [ListedAction, ListedAction];
    const on_start = [to('c'), { ...b, to: 'a' }, { ...a, to: 'corrected' }];
    await world.core.runTemplates.save(world.actor, { id: template.id, on_start });
    await world.deliver();
    expect(world.told.map(({ options }) => options['to'])).to.deep.equal(['corrected', 'a']);
  });

  it('of actions that were saved without ids are made by those in their places', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    const on_start = ['a', 'b'].map((to) => ({ action: 'tell', to }));
    await world.core.store.transaction(world.actor, (tables) =>
      tables.of(RunTemplate).update([{ row: template, set: { on_start } }]),
    );
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    await world.core.runTemplates.save(world.actor, { id: template.id, on_start: on_start.toReversed() });
    await world.deliver();
    expect(world.told.map(({ options }) => options['to'])).to.deep.equal(['a', 'b']);
  });

  it('wait, and say so, while no plugin provides the action, or its list no longer has it', async () => {
    const world = await new DeliveryWorld().seed();
    const template = await world.addTemplate({ interval: 'none', on_start: [tell] });
    await world.core.jobs.schedule(world.actor, { runtemplate_id: template.id });
    await world.claimJob();
    const action = world.actions.get('tell') ?? expect.fail();
    world.actions.delete('tell');
    await world.deliver();
    expect((await world.rows())[0]).to.deep.include({
      state: 'pending',
      error: 'No loaded plugin provides the action tell.',
    });
    world.actions.set('tell', action);
    await world.core.runTemplates.save(world.actor, { id: template.id, on_start: [] });
    world.core.clock.advance(hour);
    await world.deliver();
    const removed = `The action tell was removed from on_start of RunTemplate ${template.id}.`;
    expect((await world.rows())[0]).to.deep.include({ state: 'pending', error: removed });
    const [listed] = template.on_start as [ListedAction];
    await world.core.runTemplates.save(world.actor, { id: template.id, on_start: [{ ...listed, id: 'other' }] });
    world.core.clock.advance(hour);
    await world.deliver();
    expect((await world.rows())[0]).to.deep.include({ state: 'pending', error: removed });
    await world.core.runTemplates.save(world.actor, { id: template.id, on_start: [{ ...listed, to: 'new ops' }] });
    world.core.clock.advance(hour);
    await world.deliver();
    expect(world.told.map(({ options }) => options['to'])).to.deep.equal(['new ops']);
  });
});
