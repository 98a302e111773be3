import { randomUUID } from 'node:crypto';
import { allResources } from '@horarium/core';
import { agentExecutor, type Milliseconds } from '@horarium/core/plugin';
import { expect } from 'chai';
import { FleetHost } from '../../../../plugins/fleet-nats/host/fleet-host.ts';
import { fleetTimes } from '../../../../plugins/fleet-nats/host/fleet-times.ts';
import type { HostBus } from '../../../../plugins/fleet-nats/host/host-bus.ts';
import { Agent } from '../../../../plugins/fleet-nats/records/agent.ts';
import { Pool } from '../../../../plugins/fleet-nats/records/pool.ts';
import { fleetResources } from '../../../../plugins/fleet-nats/records/resources.ts';
import { PrivateKeys } from '../../../../plugins/fleet-nats/wire/keys/keys.ts';
import { protocol } from '../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { MovableClock } from '../../../support/clocks/movable-clock.ts';
import { ScriptedExecutor } from '../../../support/executors/scripted-executor.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

const limits = { maxOutput: 1000, maxFileSize: 1000, maxTotalFileSize: 1000, maxFiles: 1 };
const peer = { version: '0.1.0', protocol };

/** A clock by which nothing repeats itself: a long wait ends only by its signal. */
class StillClock extends MovableClock {
  override sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    if (duration < 500 || !signal || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
}

describe('A host that tells agents of work', () => {
  const core = new MemoryCore({
    resources: [...allResources, ...fleetResources.map(({ resource }) => resource)],
    executors: [new ScriptedExecutor(), agentExecutor({ name: 'agent', limits })],
    clock: new StillClock(),
  });
  const host = new FleetHost(core, fleetTimes(10_000, 900_000), () => {});
  const told: string[] = [];
  const closing = Promise.withResolvers<readonly []>();
  const bus: HostBus = {
    isConnected: true,

    brokerTime: async () => core.clock.now(),
    fetchReports: () => closing.promise,
    catchUp: async () => true,
    lastReport: async () => 0,
    waitingReports: async () => ({ count: 0, oldest: null }),
    readReports: async ({ to }) => ({ reports: [], readTo: to }),
    settledReports: async () => 0,
    announceWork: (pool) => void told.push(pool),
    tell: async () => {},
    announceHost: () => {},
    close: async () => {},
  };
  after(async () => {
    const stopped = host.stop();
    closing.resolve([]);
    await stopped;
  });

  /** Lets an agent claim as much as one answer brings. @returns how many attempts it gets. */
  async function claim(agent: string): Promise<number> {
    const process = { ...peer, instance: randomUUID(), slots: 100, labels: {}, executors: ['native'] };
    host.heartbeat(agent, { ...process, draining: false, stopped: false, running: [] }, core.clock.now());
    const answer = await host.ask(agent, { ...peer, kind: 'claim', id: randomUUID(), free: 100, abandoned: [] });
    return answer.kind === 'attempts' ? answer.attempts.length : 0;
  }

  it('tells the next one at once where one has got all that an answer brings, and more is due', async () => {
    const actor = core.actor('tests');
    const { id: pool } = await core.records(Pool).save(actor, { name: 'gpu' });
    for (const name of ['gpu1', 'gpu2', 'gpu3']) {
      const { signing: nkey, sealing: xkey } = PrivateKeys.generate().publicKeys.texts;
      await core.records(Agent).save(actor, { name, pools: [pool], nkey, xkey });
    }
    const app = await core.apps.save(actor, { name: 'work', executable: 'work' });
    const company = await core.companies.save(actor, { code: 'acme', name: 'Acme' });
    const template = await core.runTemplates.save(actor, {
      name: 'work',
      app_id: app.id,
      company_id: company.id,
      interval: 'none',
      overlap: 'allow',
      executor: 'agent',
      executor_options: { pool: 'gpu' },
    });
    for (let job = 0; job < 20; job += 1) await core.jobs.schedule(actor, { runtemplate_id: template.id });
    await host.start(bus);
    await eventually('an agent is told', () => told.length === 1);
    expect(await claim('gpu1')).to.equal(8);
    await eventually('the next one is told', () => told.length === 2);
    expect(await claim('gpu2')).to.equal(8);
    await eventually('and the next one', () => told.length === 3);
    expect(await claim('gpu3')).to.equal(4);
    expect(told).to.deep.equal(['gpu', 'gpu', 'gpu']);
  });
});
