import { App, allResources, Company, Job, RunTemplate, type RunTemplateInput, trustedActor } from '@horarium/core';
import { agentExecutor, type Milliseconds } from '@horarium/core/plugin';
import { expect } from 'chai';
import { FleetHost } from '../../../../plugins/fleet-nats/host/fleet-host.ts';
import { fleetTimes } from '../../../../plugins/fleet-nats/host/fleet-times.ts';
import type { HostBus, ReceivedReport } from '../../../../plugins/fleet-nats/host/host-bus.ts';
import { Agent } from '../../../../plugins/fleet-nats/records/agent.ts';
import { Pool } from '../../../../plugins/fleet-nats/records/pool.ts';
import { fleetResources } from '../../../../plugins/fleet-nats/records/resources.ts';
import { PrivateKeys } from '../../../../plugins/fleet-nats/wire/keys/keys.ts';
import type { AgentHeartbeat, AgentOrder, ReportEvent } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { WireError } from '../../../../plugins/fleet-nats/wire/wire-error.ts';
import { ScriptedExecutor } from '../../../support/executors/scripted-executor.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

const second: Milliseconds = 1000;
const limits = { maxOutput: 2000, maxFileSize: 300_000, maxTotalFileSize: 700_000, maxFiles: 3 };

describe('The leases of agents that a host keeps', () => {
  const actor = trustedActor('test');
  let core: MemoryCore;
  let host: FleetHost;
  let bus: HostBus;
  /** What the broker has: the number of the last report, up to which all are taken, and whether this host knows all heartbeats. */
  let broker: { last: number; settled: number; isCurrent: boolean };
  /** What the broker keeps beyond that, and whether it lets the host read it. */
  let kept: { reports: ReceivedReport[]; isReadable: boolean };
  let job: number;

  beforeEach(async () => {
    core = new MemoryCore({
      resources: [...allResources, ...fleetResources.map(({ resource }) => resource)],
      executors: [new ScriptedExecutor(), agentExecutor({ name: 'agent', limits })],
    });
    core.clock.stop();
    broker = { last: 7, settled: 7, isCurrent: true };
    kept = { reports: [], isReadable: true };
    bus = {
      isConnected: true,
      brokerTime: async () => {
        if (!broker.isCurrent) throw new Error('JetStream does not answer');
        return core.clock.now();
      },
      fetchReports: async () => [],
      catchUp: async () => broker.isCurrent,
      lastReport: async () => broker.last,
      settledReports: async () => broker.settled,
      waitingReports: async () => ({ count: kept.reports.length, oldest: kept.reports[0] ?? null }),
      readReports: async ({ from, to, max }) => {
        if (!kept.isReadable) throw new WireError('NATS does not answer: permissions violation.');
        const found = kept.reports.filter(({ number }) => from <= number && number <= to);
        const reports = found.slice(0, max);
        return { reports, readTo: reports.length < found.length ? (reports.at(-1)?.number ?? to) : to };
      },
      announceWork: () => {},
      tell: async () => {},
      announceHost: () => {},
      close: async () => {},
    };
    host = new FleetHost(core, fleetTimes(10 * second, 900 * second), () => {});
    job = await startedJob();
  });

  /** Adds a job, lets an agent claim it with a lease of ten seconds, and takes in that it starts. @returns its id. */
  async function startedJob(name = 'work'): Promise<number> {
    const { id: app_id } = await core.records(App).save(actor, { name, executable: '/usr/bin/work' });
    const { id: company_id } = await core.records(Company).save(actor, { code: name, name });
    const { id: runtemplate_id } = await core.records(RunTemplate).save(actor, {
      ...{ name, app_id, company_id, interval: 'none', executor: 'agent' },
      executor_options: { pool: 'gpu' },
    } as RunTemplateInput);
    const { id } = await core.jobs.schedule(actor, { runtemplate_id });
    const executors = new Set(['native']);
    const request = { agent: 'gpu1', claim: name, labels: {}, executors, slots: 2, max: 1, lease: 10 * second };
    await core.store.transaction(actor, async (tables) => {
      await core.agents.claimIn(tables, { ...request, pools: new Map([['gpu', null]]) });
      const at = await tables.now();
      await core.agents.reportIn(tables, [
        { agent: 'gpu1', jobId: id, claim: name, seq: 1, at, event: { kind: 'starting' } },
      ]);
    });
    return id;
  }

  /** The state of the job after a tick of the host, that long after its start. */
  async function stateAfter(passed: Milliseconds): Promise<string | undefined> {
    core.clock.advance(passed);
    await host.tick(bus);
    const [row] = await core.store.read((tables) => tables.of(Job).find({ where: [['id', '=', job]] }));
    return row?.state;
  }

  /** Lets the host take a heartbeat of the agent. */
  function beat(running: AgentHeartbeat['running']): void {
    const process = { version: '1.0.0', protocol, instance: 'one', slots: 2, labels: {}, executors: ['native'] };
    host.heartbeat('gpu1', { ...process, draining: false, stopped: false, running }, core.clock.now());
  }

  it('end once all reports are taken, and their attempts are lost', async () => {
    expect(await stateAfter(9 * second)).to.equal('running');
    expect(await stateAfter(2 * second)).to.equal('lost');
  });

  it('do not end while a report waits that was published before, which may be the end of the attempt', async () => {
    broker.settled = 6;
    expect(await stateAfter(60 * second)).to.equal('running');
    // Further reports are always under way where agents are busy.
    Object.assign(broker, { last: 9, settled: 7 });
    expect(await stateAfter(second)).to.equal('lost');
  });

  /** A report that the broker keeps, and does not deliver. */
  function keptReport(number: number, of: number, event: ReportEvent): ReceivedReport {
    const report = { job: of, claim: 'work', seq: number, age: 0, event };
    const done = () => {
      kept.reports = kept.reports.filter((each) => each.number !== number);
    };
    return { agent: 'gpu1', number, at: core.clock.now(), report, done, again: () => {} };
  }

  it('end after the reports that the broker keeps and does not deliver are read from the stream', async () => {
    const output = { kind: 'output', stream: 'stdout', bytes: Buffer.from('all\n'), cut: false } as const;
    const exit = { exitCode: 0, signal: null, timedOut: false, lost: false, reason: null, peakMemory: null };
    kept.reports = [keptReport(2, job, output), keptReport(3, job, { kind: 'ended', ...exit, stopReason: null })];
    expect(await stateAfter(60 * second)).to.equal('succeeded');
  });

  it('do not end while more of them are kept than are read at once', async () => {
    kept.reports = Array.from({ length: 250 }, (_, index) => keptReport(index + 1, 9999, { kind: 'starting' }));
    Object.assign(broker, { last: 250, settled: 250 });
    expect(await stateAfter(60 * second)).to.equal('running');
    expect(await stateAfter(0)).to.equal('lost');
  });

  it('leave no report that the broker keeps of an attempt that is over', async () => {
    expect(await stateAfter(60 * second)).to.equal('lost');
    kept.reports = [keptReport(2, job, { kind: 'starting' })];
    await stateAfter(60 * second);
    expect(kept.reports).to.deep.equal([]);
  });

  it('do not end while the broker keeps a report that this host may not read, until agents have stopped their jobs', async () => {
    kept = { reports: [keptReport(2, job, { kind: 'starting' })], isReadable: false };
    expect(await stateAfter(900 * second)).to.equal('running');
    expect(await stateAfter(60 * second)).to.equal('lost');
  });

  it('end in a stream that was made again', async () => {
    broker.settled = 6;
    expect(await stateAfter(60 * second)).to.equal('running');
    Object.assign(broker, { last: 1, settled: 1 });
    expect(await stateAfter(second)).to.equal('lost');
  });

  it('that have ended stop an attempt whose agent shows that it still runs it, and none whose end it has reported', async () => {
    const { id: pool } = await core.records(Pool).save(actor, { name: 'gpu' });
    const { signing: nkey, sealing: xkey } = PrivateKeys.generate().publicKeys.texts;
    await core.records(Agent).save(actor, { name: 'gpu1', pools: [pool], nkey, xkey });
    const orders: AgentOrder[] = [];
    bus = { ...bus, tell: async (_agent, order) => void orders.push(order) };
    const ended = await startedJob('other');
    const running = [
      { job, claim: 'work' },
      { job: ended, claim: 'other' },
    ];
    await core.store.transaction(actor, async (tables) => {
      const end = { exitCode: 0, signal: null, timedOut: false, lost: false, reason: null, peakMemory: null };
      const event = { kind: 'ended' as const, ...end };
      await core.agents.reportIn(tables, [
        { agent: 'gpu1', jobId: ended, claim: 'other', seq: 2, at: await tables.now(), event },
      ]);
    });
    beat(running);
    await host.tick(bus);
    expect(orders).to.deep.equal([]);
    expect(await stateAfter(60 * second)).to.equal('lost');
    beat(running);
    await host.tick(bus);
    const reason = 'its lease ran out, so that it may run elsewhere';
    expect(orders).to.deep.equal([{ kind: 'stop', job, claim: 'work', reason }]);
  });

  it('stop no attempt that an agent begins to name while the store is read, because it may have been claimed meanwhile', async () => {
    const orders: AgentOrder[] = [];
    bus = { ...bus, tell: async (_agent, order) => void orders.push(order) };
    const [first, later] = [
      { job, claim: 'work' },
      { job, claim: 'later' },
    ];
    const { agents, clock, store } = core;
    let reads = 0;
    const read: typeof store.read = (use) =>
      store.read((tables) => {
        reads += 1;
        core.clock.advance(1);
        // The first one is for the leases, the second one for what agents are told.
        if (reads === 2) beat([first, later]);
        return use(tables);
      });
    const reading = { agents, clock, store: { read, transaction: store.transaction.bind(store) } };
    host = new FleetHost(reading as unknown as MemoryCore, fleetTimes(10 * second, 900 * second), () => {});
    beat([first]);
    await host.tick(bus);
    expect([reads, orders]).to.deep.equal([2, []]);
    await host.tick(bus);
    expect(orders).to.have.length(1);
  });

  it('do not end while there may be heartbeats that the host has not heard, until agents have stopped their jobs', async () => {
    broker.settled = 6;
    expect(await stateAfter(2000 * second)).to.equal('running');
    broker.isCurrent = false;
    expect(await stateAfter(second)).to.equal('running');
    expect(await stateAfter(900 * second)).to.equal('running');
    expect(await stateAfter(20 * second)).to.equal('lost');
  });
});
