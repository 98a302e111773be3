import { jetstream } from '@nats-io/jetstream';
import { expect } from 'chai';
import { Agent } from '../../../../plugins/fleet-nats/records/agent.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { rejectionOf } from '../../../support/mocha/rejection-of.ts';
import { HostWorld } from '../../../support/nats/host-world.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';

const keysDiffer = /Another host of this service signs with another key: all hosts need the same host_key_file/;

describe('A host with agents over NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  let world: HostWorld;
  beforeEach(async function () {
    if (natsServer === undefined) return this.skip();
    world = await new HostWorld().start();
  });
  afterEach(() => world?.[Symbol.asyncDispose]());

  const logged = (what: string, sentence: RegExp) =>
    eventually(what, async () => {
      await world.tick();
      return world.log.some((line) => sentence.test(line));
    });

  it('tells in one line that NATS is lost, once a minute that it still is, and in one that it is back', async () => {
    await world.beat();
    world.log.length = 0;
    await world.fleet.server.kill();
    await logged('the loss is told', /^agents are not connected; .*: the connection to NATS is lost\.$/);
    for (let tick = 0; tick < 5; tick += 1) await world.tick();
    expect(world.log.filter((line) => line.startsWith('agents are not connected'))).to.have.length(1);
    world.core.clock.advance(60_000);
    await world.tick();
    expect(world.log.filter((line) => line.startsWith('agents are not connected'))).to.have.length(2);
    await world.fleet.server.run();
    await logged('it is back', /^agents are connected again$/);
    expect(world.log.filter((line) => line === 'agents are connected again')).to.have.length(1);
  });

  it('tells an agent that it is to drain, and that it is not, until the agent does so', async () => {
    await world.beat();
    const agents = world.core.records(Agent);
    const toldOf = (kind: string) =>
      eventually(`the agent hears ${kind}`, async () => {
        await world.tick();
        return world.orders.at(-1)?.kind === kind;
      });
    const [{ id } = { id: 0 }] = await world.core.store.read((tables) => tables.of(Agent).find());
    await agents.save(world.actor, { id, state: 'draining' });
    await toldOf('drain');
    await world.beat({ draining: true });
    await agents.save(world.actor, { id, state: 'active' });
    await toldOf('undrain');
    await world.beat();
    world.orders.length = 0;
    for (let tick = 0; tick < 3; tick += 1) await world.tick();
    await world.beat();
    expect(world.orders).to.deep.equal([]);
  });

  it('serves no agents while another one does that signs with another key, and doctor says why', async () => {
    await world.beat();
    const other = world.addOtherHost();
    await other.tick();
    await other.tick();
    expect(other.log.at(-1)).to.match(keysDiffer);
    expect(other.log).to.have.length(1);
    expect((await rejectionOf(other.check())).message).to.match(keysDiffer);
    expect(await world.check()).to.match(/ lets the hosts in; no report of an agent waits there$/);
  });

  it('tells that another one began to sign with another key', async () => {
    await world.beat();
    const observer = jetstream(await world.fleet.connectObserver());
    const own = world.fleet.hosts.publicKeys.texts.signing;
    await observer.publish(world.fleet.subjects.hostsStored(own), '');
    await observer.publish(world.fleet.subjects.hostsStored(`${own.slice(0, -1)}2`), '');
    await logged('it is told', keysDiffer);
  });
});
