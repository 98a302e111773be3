import { randomUUID } from 'node:crypto';
import { systemClock } from '@horarium/core';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { expect } from 'chai';
import { NatsBus } from '../../../../plugins/fleet-nats/host/nats-bus.ts';
import { sealMessage } from '../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { heartbeatCodec, reportCodec } from '../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { NatsFleet } from '../../../support/nats/nats-fleet.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';

const peer = { version: '0.1.0', protocol: 1 };

/** A host, and the processes of agents whose heartbeats it has taken. */
async function openHost(fleet: NatsFleet, replicas: number): Promise<{ bus: NatsBus; taken: readonly string[] }> {
  const taken: string[] = [];
  const bus = await NatsBus.open({
    access: fleet.hostAccess,
    subjects: fleet.subjects,
    streams: { maxReportBytes: 10 * 1024 * 1024, replicas },
    keys: fleet.hosts,
    agentKeys: { of: async () => fleet.keysOf('gpu1').publicKeys },
    peer: { ...peer, host: 'test' },
    clock: systemClock,
    listener: {
      ask: () => Promise.reject(new Error('nothing is asked')),
      heartbeat: (_agent, { instance }) => void taken.push(instance),
      earlierProcess: () => {},
      heartbeatRefused: () => {},
      heartbeatsMissed: () => {},
    },
    log: () => {},
  });
  return { bus, taken };
}

/** Publishes heartbeats of a new process of the agent, and waits until NATS has them. @returns the process. */
async function beat(fleet: NatsFleet): Promise<string> {
  const instance = randomUUID();
  const agent = await fleet.connectAgent('gpu1');
  const subject = fleet.subjects.alive('gpu1');
  const rest = { slots: 1, labels: {}, executors: ['native'], draining: false, stopped: false, running: [] };
  let first = 0;
  for (const nth of [1, 2]) {
    const body = heartbeatCodec.encode({ ...peer, instance, beat: nth, first, ...rest });
    const data = sealMessage(subject, body, fleet.keysOf('gpu1'), fleet.hosts.publicKeys);
    const { seq } = await jetstream(agent).publish(subject, data);
    first ||= seq;
  }
  return instance;
}

describe('The messages of a host over NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  let fleet: NatsFleet;
  let bus: NatsBus;
  let taken: readonly string[];
  before(async function () {
    if (natsServer === undefined) return this.skip();
    fleet = await new NatsFleet({ gpu1: ['gpu'] }).start();
    ({ bus, taken } = await openHost(fleet, 1));
  });
  after(async () => {
    await bus?.close();
    await fleet?.close();
  });

  it('are current once each heartbeat is taken that NATS had before', async () => {
    const instance = await beat(fleet);
    expect(await bus.catchUp()).to.equal(true);
    expect(taken).to.include(instance);
  });

  it('are not current before, although NATS has lost their consumer', async () => {
    const manager = await jetstreamManager(await fleet.connectObserver());
    const { aliveStream } = fleet.subjects;
    for await (const { name } of manager.consumers.list(aliveStream)) await manager.consumers.delete(aliveStream, name);
    const instance = await beat(fleet);
    await eventually('they are current', () => bus.catchUp());
    expect(taken).to.include(instance);
  });

  it('tell which report is the last, and up to which all are taken', async () => {
    expect(await bus.lastReport()).to.equal(0);
    const agent = jetstream(await fleet.connectAgent('gpu1'));
    const subject = fleet.subjects.report('gpu1');
    for (const text of ['one', 'two']) await agent.publish(subject, text);
    expect([await bus.lastReport(), await bus.settledReports()]).to.deep.equal([2, 0]);
    // They are no reports, and so are taken out.
    await bus.fetchReports(10, 5000);
    await eventually('they are taken', async () => (await bus.settledReports()) === 2);
    expect(await bus.lastReport()).to.equal(2);
  });

  it('are read from the stream by their numbers, whether they were delivered or not', async () => {
    const agent = jetstream(await fleet.connectAgent('gpu1'));
    const subject = fleet.subjects.report('gpu1');
    const claim = randomUUID();
    for (const seq of [1, 2, 3]) {
      const body = reportCodec.encode({ job: 1, claim, seq, age: 0, event: { kind: 'starting' } });
      await agent.publish(subject, sealMessage(subject, body, fleet.keysOf('gpu1'), fleet.hosts.publicKeys));
    }
    const [delivered] = await bus.fetchReports(1, 5000);
    expect(delivered?.report.seq).to.equal(1);
    const to = await bus.lastReport();
    const first = await bus.readReports({ from: 1, to, max: 2 });
    expect(first.reports.map(({ report, number }) => [report.seq, number])).to.deep.equal([
      [1, to - 2],
      [2, to - 1],
    ]);
    const { reports, readTo } = await bus.readReports({ from: first.readTo + 1, to, max: 2 });
    expect([reports.map(({ report }) => report.seq), readTo]).to.deep.equal([[3], to]);
    expect(await bus.readReports({ from: to + 1, to: to + 9, max: 2 })).to.deep.equal({ reports: [], readTo: to + 9 });
    for (const each of [...first.reports, ...reports]) each.done();
    await eventually('the stream is empty', async () => (await bus.waitingReports()).count === 0);
  });

  it('are not current while NATS is gone', async () => {
    await fleet.server.kill();
    expect(await bus.catchUp()).to.equal(false);
  });
});

describe('The messages of a host over a cluster of NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  it('become current again while the server is dead that had their consumer', async function () {
    if (natsServer === undefined) return this.skip();
    const fleet = await new NatsFleet({ gpu1: ['gpu'] }).startCluster();
    let bus: NatsBus | undefined;
    try {
      // The leader of a new cluster takes a moment to know where streams fit.
      const opened = await eventually('the cluster takes streams', () => openHost(fleet, 3).catch(() => null));
      const { taken } = opened;
      bus = opened.bus;
      const manager = await jetstreamManager(await fleet.connectObserver());
      // It is made soon after the host is connected, and then elects its leader.
      const dead = await eventually('the consumer has a leader', async () => {
        const [consumer] = await manager.consumers.list(fleet.subjects.aliveStream).next();
        return fleet.servers.find(({ port }) => consumer?.cluster?.leader === `test-${port}`);
      });
      await dead.kill();
      const instance = await eventually('an agent is heard', () => beat(fleet).catch(() => null));
      await eventually('they are current', () => opened.bus.catchUp());
      expect(taken).to.include(instance);
    } finally {
      await bus?.close();
      await fleet.close();
    }
  });
});
