import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Executor } from '@horarium/core';
import { nodeClock } from '@horarium/core/node';
import { writePlacement } from '#core/executor/placement';
import { version } from '../../../../host/version.ts';
import type { AgentEvents } from '../../../../plugins/fleet-nats/agent/agent-events.ts';
import { AgentRuntime } from '../../../../plugins/fleet-nats/agent/agent-runtime.ts';
import { connectHost } from '../../../../plugins/fleet-nats/agent/nats-link.ts';
import { AgentProcess } from '../../../support/nats/agent-process.ts';
import { NatsFleet } from '../../../support/nats/nats-fleet.ts';
import type { BenchDatabase } from '../databases.ts';
import { Service } from '../service.ts';

const pool = 'bench';

/** The fields of a template whose jobs run on agents. */
export const onAgents = { executor: 'agent', executor_options: { pool } };
/** The column besides, of templates that are not saved by the service. */
export const placement = writePlacement({ pool, executor: 'native', labels: {} });

interface FleetOptions {
  /** How many agents may join: `agent-1` and so on. */
  readonly agents: number;
  /** How many processes of the service there are. @default 1 */
  readonly hosts?: number;
  /** Further options of the plugin, and further settings of the service. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The real service with agents, over a real NATS server with the permissions of each. */
export class AgentFleet implements AsyncDisposable {
  /** The processes of the service; the first one is signed in to. */
  readonly hosts: readonly Service[];
  readonly nats: NatsFleet;
  readonly #resources: AsyncDisposableStack;

  private constructor(hosts: readonly Service[], nats: NatsFleet, resources: AsyncDisposableStack) {
    this.hosts = hosts;
    this.nats = nats;
    this.#resources = resources;
  }

  static async start(database: BenchDatabase, options: FleetOptions): Promise<AgentFleet> {
    const { agents, hosts = 1, options: more = {}, settings = {} } = options;
    await using resources = new AsyncDisposableStack();
    const names = Array.from({ length: agents }, (_, index) => `agent-${index + 1}`);
    const nats = await new NatsFleet(Object.fromEntries(names.map((name) => [name, [pool]]))).start();
    resources.defer(() => nats.close());
    const keyFile = join(nats.server.folder, 'hosts.key');
    const { signing, sealing } = nats.hosts.seeds();
    writeFileSync(keyFile, `${signing}\n${sealing}`, { mode: 0o600 });
    const plugin = { servers: [nats.server.url], host_key_file: keyFile, ...more };
    const environment = {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': plugin }),
      ...settings,
    };
    const services: Service[] = [];
    for (let host = 0; host < hosts; host++) services.push(resources.use(await Service.start(database, environment)));
    const [service] = services as [Service];
    await service.signIn();
    const { id } = await service.request('POST', '/pool/', { name: pool });
    for (const name of names) {
      const { signing: nkey, sealing: xkey } = nats.keysOf(name).publicKeys.texts;
      await service.request('POST', '/agent/', { name, pools: [id], nkey, xkey });
    }
    return new AgentFleet(services, nats, resources.move());
  }

  /** The first process of the service. */
  get service(): Service {
    return this.hosts[0] as Service;
  }

  /** Starts an agent in a process of its own, and waits until it claims. */
  async startProcess(name: string, slots: number, settings: Readonly<Record<string, string>> = {}) {
    // Tests keep what was compiled, which takes memory.
    const environment = { NODE_COMPILE_CACHE: '', ...settings };
    const agent = new AgentProcess(this.nats.credentialOf(name), ['--slots', String(slots)], environment);
    return this.#resources.use(await agent.started());
  }

  /** Starts an agent in this process, whose connection is real. @param executor runs what native jobs are elsewhere. */
  async startHere(name: string, slots: number, executor: Executor): Promise<AgentRuntime> {
    const link = await this.connect(name);
    const executors = new Map([['native', executor]]);
    const agent = new AgentRuntime({ link, executors, clock: nodeClock, slots, labels: {}, version, events });
    this.#resources.defer(async () => {
      await agent.close();
      await link.close();
    });
    agent.start();
    return agent;
  }

  /** Connects to NATS as an agent. */
  connect(name: string) {
    return connectHost(this.nats.credentialOf(name), { version, labels: {}, ca: null, log: () => undefined });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

const events: AgentEvents = {
  hostsAway: () => console.error('the hosts are away'),
  hostsBack: () => undefined,
  leaseLost: (jobs) => console.error(`the lease of ${jobs.length} jobs ran out`),
  offlineTooLong: (_duration, jobs) => console.error(`${jobs.length} jobs were stopped`),
  heartbeatFailed: (reason) => console.error(`a heartbeat failed: ${reason}`),
  reportFailed: (reason) => console.error(`a report failed: ${reason}`),
  claimRefused: (reason) => console.error(`a claim was refused: ${reason}`),
  joined: () => {},
  replaced: () => console.error('another process has taken over'),
  credentialExpires: () => console.error('the credential expires'),
  messageDropped: (reason) => console.error(`a message was dropped: ${reason}`),
  drained: () => undefined,
  undrained: () => undefined,
  jobStarted: () => undefined,
  jobEnded: () => undefined,
  tickFailed: (ticker, error) => console.error(`the ${ticker} failed`, error),
};
