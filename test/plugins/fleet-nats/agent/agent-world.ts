import type { AgentEvents } from '../../../../plugins/fleet-nats/agent/agent-events.ts';
import { AgentRuntime } from '../../../../plugins/fleet-nats/agent/agent-runtime.ts';
import { HostClock, VirtualTime } from '../../../support/clocks/virtual-time.ts';
import { Random } from '../../../support/simulation/world/random.ts';
import { FakeExecutor } from './fake-executor.ts';
import { MemoryHosts } from './memory-hosts.ts';

export interface WorldOptions {
  readonly slots?: number;
  readonly seed?: number;
}

/** Records what an agent logs, as lines. */
export function recordedEvents(lines: string[]): AgentEvents {
  const line =
    (name: string) =>
    (...details: unknown[]) =>
      void lines.push([name, ...details].join(' '));
  return {
    hostsAway: line('hosts away'),
    hostsBack: line('hosts back'),
    leaseLost: line('lease lost'),
    offlineTooLong: line('offline too long'),
    heartbeatFailed: line('heartbeat failed'),
    reportFailed: line('report failed'),
    claimRefused: line('claim refused'),
    joined: () => {},
    replaced: line('replaced'),
    credentialExpires: line('credential expires'),
    messageDropped: line('dropped'),
    drained: line('drained'),
    undrained: line('undrained'),
    jobStarted: () => undefined,
    jobEnded: () => undefined,
    tickFailed: line('tick failed'),
  };
}

/** An agent with two executors without processes, in virtual time. */
export class AgentWorld {
  readonly time = new VirtualTime(Date.UTC(2026, 10, 1));
  readonly clock: HostClock;
  readonly hosts: MemoryHosts;
  /** One whose attempts have a lease of their own. */
  readonly executor: FakeExecutor;
  /** One whose attempts have none. */
  readonly http: FakeExecutor;
  readonly agent: AgentRuntime;
  readonly log: string[] = [];

  /** @param ahead how wrong the time of day of the agent is. */
  constructor({ slots = 2, seed = 1 }: WorldOptions = {}, ahead = 86_400_000) {
    this.clock = new HostClock(this.time, ahead);
    this.hosts = new MemoryHosts(this.clock, seed);
    this.executor = new FakeExecutor(this.clock);
    this.http = new FakeExecutor(this.clock, { name: 'http', leased: false });
    const random = new Random(seed);
    this.agent = new AgentRuntime({
      link: this.hosts.link,
      executors: new Map([this.executor, this.http].map((executor) => [executor.name, executor])),
      clock: this.clock,
      slots,
      labels: { site: 'brno' },
      version: '1.0.0',
      events: recordedEvents(this.log),
      random: () => random.next(),
    });
  }

  /** Starts the agent and lets it claim for the first time. */
  async begin(): Promise<this> {
    this.agent.start();
    await this.time.pass(100);
    return this;
  }

  async close(): Promise<void> {
    const closed = this.agent.close();
    await this.time.pass(1);
    await closed;
    this.hosts.close();
  }
}
