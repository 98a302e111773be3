import { type Core, EventSource, mask } from '@horarium/core';
import { expect } from 'chai';
import type { EventSourceRow } from '#core/event/event-source';
import { MemorySource, memoryKind } from '../../support/event-sources/memory-source.ts';
import { ChainWorld } from './chain-world.ts';

/** A chain world whose core reads sources in memory. */
class SourceWorld extends ChainWorld {
  readonly sources: Map<string, MemorySource>;

  constructor(sources = new Map<string, MemorySource>()) {
    super({ eventSourceKinds: new Map([['memory', memoryKind(sources)]]) });
    this.sources = sources;
  }

  /** Another host on the same store, which runs no jobs. */
  host(): Core {
    return this.core({ eventSourceKinds: new Map([['memory', memoryKind(this.sources)]]), capacity: 0 });
  }

  /** Adds a source, and a rule that runs the template `job` with each of its changes. */
  async listen(name: string, more: Partial<EventSourceRow> = {}): Promise<MemorySource> {
    const source = new MemorySource();
    this.sources.set(name, source);
    if (!this.templates.has('job')) await this.define('job', ['ID']);
    const options = { place: name, password: `secret of ${name}` };
    const { id } = await this.chain.eventSources.save(this.actor, {
      name,
      kind: 'memory',
      options,
      poll_interval: 10,
      ...more,
    });
    await this.chain.eventRules.save(this.actor, {
      event_source_id: id,
      runtemplate_id: this.template('job'),
      env_mapping: { ID: 'recordid' },
    });
    return source;
  }

  /** The source as it is stored. */
  async row(name: string): Promise<EventSourceRow> {
    const [row] = await this.chain.store.read((tables) =>
      tables.of(EventSource).find({ where: [['name', '=', name]] }),
    );
    return row as EventSourceRow;
  }

  ids(): string[] {
    return this.shownCalls('ID').map((call) => call.replace('job ID=', ''));
  }
}

describe('The reader of event sources', () => {
  let world: SourceWorld;
  const cores: Core[] = [];
  const start = async (core = world.chain) => {
    cores.push(core);
    await core.start();
  };
  const pass = (seconds: number) => world.time.pass(seconds * 1000);

  beforeEach(() => {
    world = new SourceWorld();
  });
  afterEach(async () => {
    await Promise.all(cores.splice(0).map((core) => world.during(core.stop())));
  });

  it('starts the jobs of each change once, in order, as often as its interval says', async () => {
    const source = await world.listen('shop');
    source.add('a', 'b');
    await start();
    await pass(2);
    expect(world.ids()).to.deep.equal(['a', 'b']);
    source.add('c');
    await pass(5);
    expect(world.ids()).to.deep.equal(['a', 'b']);
    await pass(6);
    expect(world.ids()).to.deep.equal(['a', 'b', 'c']);
    const { cursor, last_error, last_polled_at, revision } = await world.row('shop');
    expect([cursor, last_error, revision]).to.deep.equal(['3', null, 1]);
    expect(last_polled_at).to.be.greaterThan(world.time.storeClock.now() - 11_000);
    expect(source.acknowledged).to.equal('3');
    expect(source.connections).to.equal(0);
    const [job] = await world.jobs();
    expect(job?.trigger).to.equal('event');
    expect((await world.events()).map(({ key, state }) => `${key} ${state}`)).to.deep.equal([
      'a done',
      'b done',
      'c done',
    ]);
  });

  it('reads hundreds of changes in batches without waiting for the next poll', async () => {
    const source = await world.listen('shop', { poll_interval: 3600 });
    source.add(...Array.from({ length: 620 }, (_, index) => `${index}`));
    await start();
    await pass(3);
    expect((await world.row('shop')).cursor).to.equal('620');
    expect(source.opened).to.equal(1);
  });

  it('polls at once a source that is saved, and one of another kind from its beginning', async () => {
    await world.listen('shop', { poll_interval: 3600, enabled: false });
    await start();
    await pass(5);
    const source = world.sources.get('shop') as MemorySource;
    expect(source.opened).to.equal(0);
    const { id } = await world.row('shop');
    await world.chain.eventSources.save(world.actor, { id, enabled: true });
    source.add('a');
    await pass(1);
    expect(world.ids()).to.deep.equal(['a']);
  });

  it('shows why a source cannot be read, without its secrets, and tries it less and less often', async () => {
    const source = await world.listen('shop');
    source.respond = async () => {
      throw new Error('secret of shop@server\nis down');
    };
    await start();
    await pass(1);
    expect((await world.row('shop')).last_error).to.equal(`${mask}@server is down (tried again in 10 s)`);
    await pass(10);
    expect((await world.row('shop')).last_error).to.equal(
      `${mask}@server is down (2 times in a row, tried again in 20 s)`,
    );
    await pass(3600);
    expect((await world.row('shop')).last_error).to.match(/tried again in 900 s\)$/);
    expect(source.opened).to.be.within(8, 12);
    source.add('a');
    source.respond = async () => {};
    await pass(900);
    expect(world.ids()).to.deep.equal(['a']);
    const { last_error, failures } = await world.row('shop');
    expect([last_error, failures]).to.deep.equal([null, 0]);
  });

  it('is not delayed by sources that hang, whether they heed the signal or not', async () => {
    for (const [index, state] of Array.from(
      { length: 20 },
      (_, count) => [count, count % 2 ? 'deaf' : 'silent'] as const,
    ))
      (await world.listen(`hangs ${index}`)).state = state;
    const source = await world.listen('shop');
    await start();
    for (let round = 0; round < 6; round++) {
      source.add(`${round}`);
      await pass(11);
      expect(world.ids()).to.have.length(round + 1);
    }
    expect((await world.row('hangs 0')).last_error).to.match(/^it did not answer within 30 s \(/);
    await pass(60);
    expect((await world.row('hangs 1')).last_error).to.match(/^an earlier read of it has not ended \(/);
    expect(world.sources.get('hangs 1')?.opened).to.equal(1);
  });

  it('fires each change once although several hosts read, one of which stops', async () => {
    const source = await world.listen('shop', { poll_interval: 1 });
    const hosts = [world.chain, world.host(), world.host()];
    for (const host of hosts) await start(host);
    for (let round = 0; round < 30; round++) {
      source.add(`${round}`);
      if (round === 10) await world.during((hosts[1] as Core).stop());
      await pass(1);
    }
    await pass(3);
    const events = await world.events();
    expect(events.map(({ key }) => key)).to.deep.equal(source.changes.map(({ key }) => key));
    expect(await world.jobs()).to.have.length(30);
    expect(source.opened).to.be.lessThan(40);
  });

  it('leaves a source to a host that reads it slowly, and takes it over from one that has died', async () => {
    const source = await world.listen('shop', { poll_interval: 1 });
    source.state = 'silent';
    await start();
    await pass(1);
    const other = world.host();
    await start(other);
    await pass(25);
    expect(source.opened).to.equal(1);
    source.state = 'up';
    source.add('a');
    await world.during(world.chain.stop());
    // A host that is killed leaves its claim behind.
    const { id } = await world.row('shop');
    const next_poll_at = world.time.storeClock.now() + 10_000;
    await world.chain.store.transaction(world.actor, (tables) =>
      tables.of(EventSource).updateWhere([['id', '=', id]], { next_poll_at }),
    );
    await pass(5);
    expect((await world.row('shop')).cursor).to.equal(null);
    await pass(7);
    expect((await world.row('shop')).cursor).to.equal('1');
  });

  it('goes on where the cursor is when another host has read on, and stores nothing twice', async () => {
    const source = await world.listen('shop');
    source.add('a', 'b', 'c');
    let isFirst = true;
    // Meanwhile another host stores the same changes.
    source.onRead = async () => {
      if (!isFirst) return;
      isFirst = false;
      const { id } = await world.row('shop');
      await world.report(id, [{ key: 'a', recordId: 'a', payload: { recordid: 'a' } }]);
      await world.chain.store.transaction(world.actor, (tables) =>
        tables.of(EventSource).updateWhere([['id', '=', id]], { cursor: '1' }),
      );
    };
    await start();
    await pass(25);
    expect(world.ids()).to.deep.equal(['a', 'b', 'c']);
  });

  it('sets changes aside that cannot be used, and goes on behind them', async () => {
    const source = await world.listen('shop');
    source.add('a');
    source.addChange({ key: 'b', problem: 'its evidence is not valid UTF-8' });
    source.add('c');
    await start();
    await pass(2);
    expect(world.ids()).to.deep.equal(['a', 'c']);
    const { state, reason } = (await world.events())[1] ?? {};
    expect([state, reason]).to.deep.equal(['set_aside', 'its evidence is not valid UTF-8']);
  });

  it('shows what a source says that it can never read, while it reads on', async () => {
    const source = await world.listen('shop');
    source.warning = '3 rows have no key';
    source.add('a');
    await start();
    await pass(2);
    expect(world.ids()).to.deep.equal(['a']);
    expect((await world.row('shop')).last_error).to.equal('3 rows have no key');
  });

  it('names a kind that no loaded plugin provides', async () => {
    await world.listen('shop');
    const other = world.core();
    await start(other);
    await pass(1);
    expect((await world.row('shop')).last_error).to.match(/^no loaded plugin provides the event source kind memory \(/);
  });

  it('gives up at once what it reads when the core stops, and counts it as no failure', async () => {
    const source = await world.listen('shop');
    source.state = 'deaf';
    await start();
    await pass(1);
    expect(source.opened).to.equal(1);
    const before = world.time.storeClock.now();
    await world.during(world.chain.stop());
    expect(world.time.storeClock.now() - before).to.be.lessThan(7000);
    const { last_error, failures } = await world.row('shop');
    expect([last_error, failures]).to.deep.equal([null, 0]);
  });
});
