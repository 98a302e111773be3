import { defineEventSourceKind } from '@horarium/core/plugin';
import { expect } from 'chai';
import { invalidFields, refusal, user } from '../../support/worlds/record-world.ts';
import { ChainWorld } from './chain-world.ts';

const queue = defineEventSourceKind({ name: 'queue', options: {}, probe: async () => undefined });
const table = defineEventSourceKind({ ...queue, name: 'table', columns: ['recordid', 'externalids'] });

describe('Events of sources', () => {
  let world: ChainWorld;
  let source: number;
  let company: number;
  beforeEach(async () => {
    world = new ChainWorld({
      eventSourceKinds: new Map([queue, table].map((kind) => [kind.name, kind])),
      maxFanOut: 3,
    });
    await world.define('work', ['ID', 'LINES', 'SHOP']);
    const { chain, actor } = world;
    ({ id: source } = await chain.eventSources.save(actor, { name: 'shop', kind: 'queue' }));
    ({ company_id: company } = await chain.runTemplates.get(actor, world.template('work')));
    await chain.start();
  });
  afterEach(() => world.during(world.chain.stop()));

  const on = (more: object = {}, target = 'work') =>
    world.chain.eventRules.save(world.actor, {
      event_source_id: source,
      runtemplate_id: world.template(target),
      ...more,
    });
  const states = async () => (await world.events()).map(({ key, state, reason }) => [key, state, reason]);

  it('fire the rules whose evidence and operation match, the highest priority first', async () => {
    for (const name of ['invoices', 'anything created', 'deleted']) await world.define(name);
    await on({ evidence: 'invoice*' }, 'invoices');
    await on({ operation: 'create', priority: 5 }, 'anything created');
    await on({ operation: 'delete' }, 'deleted');
    await world.report(source, [
      { key: '1', evidence: 'invoice-in', operation: 'create', recordId: 'A1' },
      { key: '2', evidence: 'contact', operation: 'Create', recordId: 'C1' },
      { key: '3', evidence: 'contact', operation: 'update' },
    ]);
    const jobs = await world.jobs();
    expect(jobs.map(({ runtemplate_id, trigger, event_id }) => [runtemplate_id, trigger, event_id])).to.deep.equal([
      [world.template('anything created'), 'event', 1],
      [world.template('invoices'), 'event', 1],
      [world.template('anything created'), 'event', 2],
    ]);
    await world.time.pass(2000);
    expect(
      world.shownCalls('EVENT_ID', 'EVENT_EVIDENCE', 'EVENT_OPERATION', 'EVENT_RECORD_ID').toSorted(),
    ).to.deep.equal([
      'anything created EVENT_ID=1 EVENT_EVIDENCE=invoice-in EVENT_OPERATION=create EVENT_RECORD_ID=A1',
      'anything created EVENT_ID=2 EVENT_EVIDENCE=contact EVENT_OPERATION=Create EVENT_RECORD_ID=C1',
      'invoices EVENT_ID=1 EVENT_EVIDENCE=invoice-in EVENT_OPERATION=create EVENT_RECORD_ID=A1',
    ]);
    expect((await states()).map(([, state]) => state)).to.deep.equal(['done', 'done', 'done']);
  });

  it('fire once, however often their source reports them', async () => {
    await on();
    await world.report(source, [{ key: 'a' }, { key: 'a' }]);
    await world.report(source, [{ key: 'a' }, { key: 'b' }]);
    expect((await world.jobs()).map(({ event_id }) => event_id)).to.have.length(2);
    expect((await states()).map(([key]) => key)).to.deep.equal(['a', 'b']);
  });

  it('give a job what the selectors of the rule find, or one job for each element of a list', async () => {
    await on({ env_mapping: { ID: 'recordid', LINES: '$.lines[*].sku', SHOP: '$.shop' } });
    await world.report(source, [
      { key: '1', payload: { recordid: 7, lines: [{ sku: 'x' }, { sku: 'y' }], shop: null } },
      { key: '2', payload: { recordid: 8, lines: [], shop: 'main' } },
    ]);
    await world.time.pass(2000);
    expect(world.shownCalls('ID', 'LINES', 'SHOP').toSorted()).to.deep.equal([
      'work ID=7 LINES=x',
      'work ID=7 LINES=y',
    ]);
    expect((await states()).map(([, state]) => state)).to.deep.equal(['done', 'done']);
  });

  it('are set aside with a reason where a rule cannot use them, and those beside them fire', async () => {
    await on({ env_mapping: { ID: 'recordid', LINES: '$.lines' } });
    const lines = ['1', '2', '3', '4'];
    await world.report(source, [
      { key: '1', payload: { recordid: 1, lines } },
      { key: '2', payload: { lines } },
      { key: '3', payload: { recordid: 1, lines: [] }, problem: 'its key is null' },
      { key: '4', payload: { recordid: 'x'.repeat(131_072), lines: 'one' } },
      { key: '5', payload: { recordid: 5, lines: 'one' } },
      { key: 'k'.repeat(600), payload: { recordid: 6, lines: 'one' } },
    ]);
    const found = await states();
    expect(found.map(([, state, reason]) => [state, reason])).to.deep.equal([
      ['set_aside', 'EventRule 1: LINES has 4 values, and at most 3 jobs are made of one event'],
      ['set_aside', 'EventRule 1: ID by recordid: the event has no recordid'],
      ['set_aside', 'its key is null'],
      ['set_aside', 'EventRule 1: ID would be longer than the 131071 bytes that a variable may have'],
      ['done', null],
      ['set_aside', 'its key has 600 characters, at most 512 are allowed'],
    ]);
    expect(found[5]?.[0]).to.have.length(512);
    await world.time.pass(2000);
    expect(world.shownCalls('ID')).to.deep.equal(['work ID=5']);
  });

  it('are retried with the rules as they are by then, which fire once', async () => {
    await world.define('other');
    const { id } = await on({ env_mapping: { ID: 'order' } });
    await on({}, 'other');
    await world.report(source, [{ key: '1', payload: { recordid: 1 } }]);
    await world.chain.eventRules.save(world.actor, { id, env_mapping: { ID: 'recordid' } });
    await world.chain.events.retry(world.actor, 1);
    await world.time.pass(2000);
    expect(world.shownCalls('ID').toSorted()).to.deep.equal(['other', 'work ID=1']);
  });

  it('fire the rules of the companies that the source lists', async () => {
    await world.define('foreign', [], 'globex');
    await on();
    await on({}, 'foreign');
    await world.chain.eventSources.save(world.actor, { id: source, companies: [company] });
    await world.report(source, [{ key: '1' }]);
    expect((await world.jobs()).map(({ company_id }) => company_id)).to.deep.equal([company]);
    const [event] = await world.events();
    expect(event?.company_id).to.equal(company);
    expect(await invalidFields(on({}, 'foreign'))).to.deep.equal(['event_source_id']);
  });

  it('fire only rules that admins wrote where the source lists no companies', async () => {
    const manager = user(1, [], { [company]: 'manager' });
    const rule = { event_source_id: source, runtemplate_id: world.template('work') };
    const { eventRules, eventSources } = world.chain;
    expect(await invalidFields(eventRules.save(manager, rule))).to.deep.equal(['event_source_id']);
    await eventSources.save(world.actor, { id: source, companies: [company] });
    await eventRules.save(manager, rule);
    await eventSources.save(world.actor, { id: source, companies: [] });
    await world.report(source, [{ key: '1' }]);
    expect(await world.jobs()).to.deep.equal([]);
    await eventRules.save(world.actor, { id: 1, name: 'mine' });
    await world.report(source, [{ key: '2' }]);
    expect(await world.jobs()).to.have.length(1);
  });

  it('are read by the members of their company, their payloads by admins', async () => {
    const member = user(1, [], { [company]: 'operator' });
    await on({ env_mapping: { ID: 'order' } });
    await world.report(source, [{ key: '1', payload: { secret: 'of the sender' } }]);
    const { events } = world.chain;
    expect((await events.list(member)).rows).to.have.length(1);
    expect((await refusal(events.payload(member, 1))).code).to.equal('denied');
    expect(await events.payload(world.actor, 1)).to.deep.equal({ secret: 'of the sender' });
    expect((await events.retry(member, 1)).state).to.equal('pending');
    const viewer = user(2, [], { [company]: 'viewer' });
    expect((await refusal(events.retry(viewer, 1))).code).to.equal('denied');
    expect((await refusal(events.retry(user(3, []), 1))).code).to.equal('not_found');
  });

  it('refuse rules whose selectors can never find anything', async () => {
    const { eventSources } = world.chain;
    const { id } = await eventSources.save(world.actor, { name: 'rows', kind: 'table' });
    for (const selector of ['$.', '@file:dump', 'recordId', '$.target.x'])
      expect(await invalidFields(on({ event_source_id: id, env_mapping: { ID: selector } }))).to.deep.equal([
        'env_mapping.ID',
      ]);
    expect(await invalidFields(on({ env_mapping: { OTHER: 'recordid' } }))).to.deep.equal(['env_mapping.OTHER']);
    await on({ event_source_id: id, env_mapping: { ID: 'recordid', SHOP: '$.externalids.shop', LINES: '$' } });
  });
});

describe('Events of large jobs', () => {
  it('are set aside where a list repeats the values beside it too often', async () => {
    const world = new ChainWorld({ eventSourceKinds: new Map([[queue.name, queue]]), maxFanOut: 1000 });
    const { chain, actor } = world;
    const runtemplate_id = await world.define('work', ['ID', 'TEXT']);
    const { id } = await chain.eventSources.save(actor, { name: 'shop', kind: 'queue' });
    const env_mapping = { ID: 'ids', TEXT: 'text' };
    await chain.eventRules.save(actor, { event_source_id: id, runtemplate_id, env_mapping });
    const payload = (jobs: number) => ({
      ids: Array.from({ length: jobs }, (_, index) => `${index}`),
      text: 'x'.repeat(131_000),
    });
    await world.report(id, [
      { key: '1', payload: payload(65) },
      { key: '2', payload: payload(2) },
    ]);
    const [large] = await world.events();
    expect(large?.reason).to.include('at most 4194304 characters');
    await chain.start();
    await world.time.pass(2000);
    expect((await world.events()).map(({ state }) => state)).to.deep.equal(['set_aside', 'done']);
    expect(world.shownCalls('ID').toSorted()).to.deep.equal(['work ID=0', 'work ID=1']);
    await world.during(chain.stop());
  });
});
