import { type EventRow, HorariumError, Job, type JobRow, StoreUnavailable, trustedActor } from '@horarium/core';
import { defineEventSourceKind } from '@horarium/core/plugin';
import { expect } from 'chai';
import { newSourceEvents } from '#core/event/source-events';
import { JobInsertStore } from '../../support/store/job-insert-store.ts';
import { ChainWorld } from './chain-world.ts';

const queue = defineEventSourceKind({ name: 'queue', options: {}, probe: async () => undefined });

/** Pending events of a source and of templates, and hosts that process them. */
class PendingWorld extends ChainWorld {
  readonly faulty = new JobInsertStore(this.store);
  source = 0;

  constructor() {
    super({ eventSourceKinds: new Map([[queue.name, queue]]) });
  }

  /** Adds a source, and rules that start a template with each of its events. */
  async react(rules: number, env_mapping: Readonly<Record<string, string>>): Promise<void> {
    const runtemplate_id = await this.define('work', ['ID']);
    ({ id: this.source } = await this.chain.eventSources.save(this.actor, { name: 'shop', kind: 'queue' }));
    for (let rule = 0; rule < rules; rule += 1)
      await this.chain.eventRules.save(this.actor, { event_source_id: this.source, runtemplate_id, env_mapping });
  }

  /** Stores events of the source without processing them. */
  add(...payloads: readonly Readonly<Record<string, unknown>>[]): Promise<EventRow[]> {
    const blank = { evidence: null, operation: null, recordId: null };
    const changes = payloads.map((payload) => ({ ...blank, key: crypto.randomUUID(), payload }));
    return this.chain.store.transaction(trustedActor('reader'), (tables) =>
      newSourceEvents(tables, { id: this.source }, changes),
    );
  }

  /** The processor of another host, whose transactions the test ends. */
  host() {
    return this.processor({ store: this.chain.store.over(this.faulty) });
  }

  /** Lets a host tick until it has nothing to do or fails, again and again, while time passes. */
  async process(host = this.host(), seconds = 1): Promise<string[]> {
    const failures: string[] = [];
    for (let second = 0; second < seconds; second += 1) {
      try {
        while ((await host.tick()) === 0);
      } catch (error) {
        failures.push((error as Error).message);
      }
      await this.time.pass(1000);
    }
    return failures;
  }

  async states(): Promise<unknown[]> {
    return (await this.events()).map(({ state, attempts, reason }) => [state, attempts, reason]);
  }

  countOf({ id }: EventRow): Promise<number> {
    return this.chain.store.read((tables) => tables.of(Job).count([['event_id', '=', id]]));
  }
}

const ofEvent = (event: EventRow | undefined) => (jobs: readonly Omit<JobRow, 'id'>[]) =>
  jobs.some(({ event_id }) => event_id === event?.id);

describe('The event processor', () => {
  let world: PendingWorld;
  beforeEach(() => {
    world = new PendingWorld();
  });

  it('sets an event aside that ends its transaction three times, while those beside it and behind it fire', async () => {
    await world.react(1, { ID: 'id' });
    const [deadly, beside] = await world.add({ id: 1 }, { id: 2 });
    const isDeadly = ofEvent(deadly);
    world.faulty.fault = (jobs) =>
      isDeadly(jobs) ? new StoreUnavailable('The database closed the connection.') : null;
    const host = world.host();
    expect(await world.process(host)).to.deep.equal(['The database closed the connection.']);
    const [behind] = await world.add({ id: 3 });
    await world.process(host);
    expect(await world.countOf(behind as EventRow)).to.equal(1);
    expect((await world.states())[0]).to.deep.equal(['pending', 1, null]);
    await world.process(host, 60);
    expect(await world.states()).to.deep.equal([
      ['set_aside', 3, 'it was tried 3 times, and each time the service or its transaction ended'],
      ['done', 2, null],
      ['done', 1, null],
    ]);
    expect(await Promise.all([deadly, beside].map((event) => world.countOf(event as EventRow)))).to.deep.equal([0, 1]);
    world.faulty.fault = () => null;
    await world.chain.events.retry(world.actor, (deadly as EventRow).id);
    await world.process(host);
    expect(await world.countOf(deadly as EventRow)).to.equal(1);
  });

  it('counts the tries of hosts that die over an event', async () => {
    await world.react(1, { ID: 'id' });
    await world.add({ id: 1 });
    world.faulty.fault = () => new StoreUnavailable('The process is gone.');
    for (let host = 1; host <= 3; host += 1) {
      expect(await world.process()).to.deep.equal(['The process is gone.']);
      expect((await world.states())[0]).to.deep.equal(['pending', host, null]);
      await world.time.pass(10_000);
    }
    await world.process();
    expect((await world.states())[0]).to.include('set_aside');
  });

  it('leaves an event alone that another host plans, and takes it over once that host has died', async () => {
    await world.react(1, { ID: 'id' });
    await world.add({ id: 1 });
    world.faulty.fault = () => new StoreUnavailable('The process is gone.');
    await world.process();
    world.faulty.fault = () => null;
    await world.process(world.host(), 8);
    expect(await world.jobs()).to.deep.equal([]);
    await world.process(world.host(), 4);
    expect(await world.jobs()).to.have.length(1);
    expect(await world.states()).to.deep.equal([['done', 2, null]]);
  });

  it('tries an event again whose jobs the store refuses, and sets it aside with the reason after three tries', async () => {
    await world.react(1, { ID: 'id' });
    const [refused] = await world.add({ id: 1 }, { id: 2 });
    const isRefused = ofEvent(refused);
    world.faulty.fault = (jobs) => (isRefused(jobs) ? new Error('the row is too large') : null);
    const host = world.host();
    expect(await world.process(host)).to.deep.equal([]);
    expect(await world.states()).to.deep.equal([
      ['pending', 1, 'the row is too large'],
      ['done', 1, null],
    ]);
    await world.process(host, 30);
    expect((await world.states())[0]).to.deep.equal(['set_aside', 3, 'the row is too large']);
  });

  it('counts no try that fails for what the host lacks, and fires the other events', async () => {
    await world.react(1, { ID: 'id' });
    const [waiting, other] = await world.add({ id: 1 }, { id: 2 });
    const needsKey = ofEvent(waiting);
    world.faulty.fault = (jobs) => (needsKey(jobs) ? new HorariumError('unavailable', 'The key is missing.') : null);
    const host = world.host();
    expect(await world.process(host)).to.deep.equal(['The key is missing.']);
    expect(await world.countOf(other as EventRow)).to.equal(1);
    await world.process(host, 60);
    expect((await world.states())[0]).to.deep.equal(['pending', 0, null]);
    world.faulty.fault = () => null;
    await world.process(host, 11);
    expect((await world.states())[0]).to.deep.equal(['done', 1, null]);
  });

  it('fires the events beside one whose jobs the store refuses, also without selectors', async () => {
    await world.react(2, {});
    const [refused, ...others] = await world.add({ id: 1 }, { id: 2 }, { id: 3 });
    const isRefused = ofEvent(refused);
    world.faulty.fault = (jobs) => (isRefused(jobs) ? new Error('the row is too large') : null);
    await world.process();
    expect(await Promise.all(others.map((event) => world.countOf(event)))).to.deep.equal([2, 2]);
    expect((await world.states())[0]).to.deep.equal(['pending', 1, 'the row is too large']);
  });

  it('counts the tries of events without selectors, too, once their transaction has ended', async () => {
    await world.react(1, {});
    const [deadly] = await world.add({}, {});
    const isDeadly = ofEvent(deadly);
    world.faulty.fault = (jobs) =>
      isDeadly(jobs) ? new StoreUnavailable('The database closed the connection.') : null;
    await world.process(world.host(), 60);
    expect((await world.states()).map((state) => (state as unknown[])[0])).to.deep.equal(['set_aside', 'done']);
  });

  it('gives events back for which it has no time, uncounted', async () => {
    await world.react(1, { ID: 'id' });
    await world.add(...Array.from({ length: 20 }, (_, id) => ({ id })));
    let elapsed = 0;
    const clock = {
      elapsed: () => {
        elapsed += 300;
        return elapsed;
      },
    };
    const host = world.processor({ clock });
    expect(await host.tick()).to.equal(0);
    const attempts = (await world.states()).map((state) => (state as unknown[])[1]);
    expect(new Set(attempts)).to.deep.equal(new Set([1, 0]));
    await world.process(host);
    expect(await world.states()).to.deep.equal(Array(20).fill(['done', 1, null]));
  });

  it('plans outside of transactions, so that no database ends one meanwhile', async () => {
    await world.react(3, { ID: '$.id' });
    await world.add({ id: 1 });
    const open: number[] = [];
    const elapsed = () => {
      open.push(world.faulty.open);
      return 0;
    };
    await world.processor({ store: world.chain.store.over(world.faulty), clock: { elapsed } }).tick();
    expect(world.faulty.inserted).to.deep.equal([3]);
    expect(open.length).to.be.greaterThan(3);
    expect(new Set(open)).to.deep.equal(new Set([0]));
  });

  it('sets an event aside whose rules take too long to plan, after three tries', async () => {
    await world.react(2, { ID: 'id' });
    await world.add({ id: 1 });
    let elapsed = 0;
    const clock = {
      elapsed: () => {
        elapsed += 3000;
        return elapsed;
      },
    };
    const host = world.processor({ clock });
    await world.process(host, 60);
    expect(await world.states()).to.deep.equal([['set_aside', 3, 'its rules were not planned within 4 s']]);
    expect(await world.jobs()).to.deep.equal([]);
  });

  it('makes the jobs of an event in several transactions, one for each rule, and repeats none after a crash', async () => {
    await world.react(4, { ID: '$.ids' });
    const ids = Array.from({ length: 300 }, (_, index) => `${index}`);
    const [event] = await world.add({ ids });
    world.faulty.fault = () =>
      world.faulty.inserted.length === 3 ? new StoreUnavailable('The process is gone.') : null;
    expect(await world.process()).to.deep.equal(['The process is gone.']);
    expect(await world.countOf(event as EventRow)).to.equal(600);
    await world.time.pass(10_000);
    await world.process();
    expect(world.faulty.inserted).to.deep.equal([300, 300, 300, 300, 300]);
    expect(await world.countOf(event as EventRow)).to.equal(1200);
    expect(await world.states()).to.deep.equal([['done', 2, null]]);
  });

  it('serves the events of other companies between the many events of one', async () => {
    await world.react(1, { ID: 'id' });
    await world.add(...Array.from({ length: 300 }, (_, id) => ({ id })));
    const { id } = await world.chain.eventSources.save(world.actor, { name: 'other', kind: 'queue' });
    await world.chain.eventRules.save(world.actor, { event_source_id: id, runtemplate_id: world.template('work') });
    world.source = id;
    const [late] = await world.add({});
    const host = world.host();
    expect(await host.tick()).to.equal(0);
    expect(await world.countOf(late as EventRow)).to.equal(1);
    expect((await world.jobs()).length).to.be.lessThan(60);
    await world.process(host);
    expect((await world.states()).every((state) => (state as unknown[])[0] === 'done')).to.equal(true);
  });

  it('says of an event that no rule matches it', async () => {
    await world.react(0, {});
    await world.add({});
    await world.process();
    expect(await world.states()).to.deep.equal([['done', 1, 'no enabled rule matches it']]);
  });
});
