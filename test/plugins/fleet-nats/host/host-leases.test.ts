import { expect } from 'chai';
import { AgentLease } from '#core/agent/agent-lease';
import { eventually } from '../../../support/mocha/eventually.ts';
import { HostWorld } from '../../../support/nats/host-world.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';

describe('The leases of agents over NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  let world: HostWorld | undefined;
  beforeEach(async function () {
    if (natsServer === undefined) return this.skip();
    world = await new HostWorld().start({ lease: 2 });
  });
  afterEach(() => world?.[Symbol.asyncDispose]());

  it('last by the time of the broker, also where the clock of the store is corrected, and end once the agent is silent', async () => {
    const host = world as HostWorld;
    await host.beat();
    const running = await host.claimJob();
    await host.beat({ running: [running] });
    for (const correction of [50_000, 50_000, 50_000]) {
      host.storeClock.advance(correction);
      await host.beat({ running: [running] });
      await host.tick();
      expect(await host.readJob(running.job), `after ${correction} ms`).to.include({ state: 'running' });
    }
    await eventually('the lease has run out', async () => {
      await host.tick();
      return (await host.readJob(running.job)).state !== 'running';
    });
    // Nothing of it was reported, so that it is taken back.
    expect(await host.readJob(running.job)).to.include({ state: 'scheduled', worker: null });
  });

  it('last for attempts of an earlier process of an agent whose last heartbeats no host has taken', async () => {
    const host = world as HostWorld;
    await host.beat();
    const running = await host.claimJob();
    await host.beat({ running: [running] });
    const endOfLease = async () => {
      const [lease] = await host.core.store.read((tables) => tables.of(AgentLease).find());
      return lease?.ends_at ?? 0;
    };
    const before = await endOfLease();
    // After a claim it lasts longer than after a heartbeat.
    host.storeClock.advance(7000);
    await host.restartHost();
    await host.send({ running: [running] });
    await host.restartAgent();
    await host.send();
    await eventually('the new host has renewed the lease', async () => {
      await host.tick();
      return (await endOfLease()) > before;
    });
    const after = await endOfLease();
    await host.beat();
    await host.beat();
    expect(await endOfLease()).to.equal(after);
  });
});
