import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allResources, type PreparedPlugin, preparePlugin } from '@horarium/core';
import { jetstream } from '@nats-io/jetstream';
import { expect } from 'chai';
import { Metrics } from '../../../../adapters/http/metrics.ts';
import fleetNats from '../../../../plugins/fleet-nats/plugin.ts';
import { fleetResources } from '../../../../plugins/fleet-nats/records/resources.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { NatsFleet } from '../../../support/nats/nats-fleet.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

describe('The figures of the stream of reports (HORARIUM_TEST_NATS_SERVER)', () => {
  const core = new MemoryCore({ resources: [...allResources, ...fleetResources.map(({ resource }) => resource)] });
  let fleet: NatsFleet;
  let prepared: PreparedPlugin;
  let metrics: Metrics;

  before(async function () {
    if (natsServer === undefined) return this.skip();
    fleet = await new NatsFleet({ gpu1: ['gpu'] }).start();
    const host_key_file = join(fleet.server.folder, 'hosts.key');
    const { signing, sealing } = fleet.hosts.seeds();
    writeFileSync(host_key_file, `${signing}\n${sealing}\n`, { mode: 0o600 });
    prepared = preparePlugin(fleetNats, { servers: [fleet.server.url], host_key_file }, core.clock);
    metrics = new Metrics(prepared.plugin.gauges?.(prepared.setup));
  });
  after(async () => {
    await prepared?.plugin.stop?.(prepared.setup);
    await fleet?.close();
  });

  const figures = async () => {
    const lines = (await metrics.text(null)).split('\n').filter((line) => line.startsWith('horarium_agent_'));
    return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
  };

  it('are unknown until NATS is reached, and then those of a stream without reports', async () => {
    expect(await figures()).to.deep.equal({});
    const [ticker] = prepared.plugin.tickers?.(prepared.setup) ?? [];
    await ticker?.tick(core);
    expect(await figures()).to.deep.equal({ horarium_agent_reports_waiting: 0, horarium_agent_report_lag_seconds: 0 });
  });

  it('tell how many reports wait and for how long the oldest has, also while the store does not answer', async () => {
    core.database.broken = true;
    const agent = jetstream(await fleet.connectAgent('gpu1'));
    for (const report of ['one', 'two']) await agent.publish(fleet.subjects.report('gpu1'), report);
    core.clock.advance(60_000);
    const { horarium_agent_reports_waiting: waiting, horarium_agent_report_lag_seconds: lag } = await figures();
    expect(waiting).to.equal(2);
    expect(lag).to.be.at.least(59);
    core.database.broken = false;
    await eventually('the reports are taken', async () => (await figures())['horarium_agent_reports_waiting'] === 0);
    expect(await figures()).to.include({ horarium_agent_report_lag_seconds: 0 });
  });

  it('are unknown once NATS is gone', async () => {
    await fleet.server.kill();
    await eventually('the loss is seen', async () => Object.keys(await figures()).length === 0);
  });
});
