import { expect } from 'chai';
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
});
