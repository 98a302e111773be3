import { hostname } from 'node:os';
import type { Milliseconds, PluginCore, PluginSetup } from '@horarium/core/plugin';
import { readHostKeys } from '../wire/keys/host-keys.ts';
import type { PrivateKeys } from '../wire/keys/keys.ts';
import { protocol } from '../wire/messages/protocol.ts';
import { Subjects } from '../wire/subjects.ts';
import { WireError } from '../wire/wire-error.ts';
import { AgentKeys } from './agent-keys.ts';
import { FleetHost } from './fleet-host.ts';
import { fleetTimes } from './fleet-times.ts';
import { type AgentFaults, readAgentFaults } from './health/agent-faults.ts';
import { NatsOutage } from './health/nats-outage.ts';
import { hostAccess } from './host-access.ts';
import { NatsBus } from './nats-bus.ts';
import { type FleetOptions, type fleetOptions, hostKeyFile } from './settings.ts';

interface Open {
  readonly bus: NatsBus;
  readonly host: FleetHost;
}

/** Connects a process of the service to NATS and to its agents, as soon as both are there, until the service stops. */
export class FleetService {
  readonly #options: FleetOptions;
  readonly #log: (sentence: string) => void;
  readonly #outage: NatsOutage;
  #open: Open | null = null;
  #isClosed = false;
  #core: PluginCore | null = null;
  #faults: Promise<AgentFaults> | null = null;

  constructor({ options, log, clock }: PluginSetup<typeof fleetOptions>) {
    this.#options = options;
    this.#log = log;
    this.#outage = new NatsOutage(clock, log);
  }

  /** Where NATS is not reached, the log tells, and the next tick tries again. */
  async tick(core: PluginCore): Promise<void> {
    if (this.#isClosed) return;
    this.#core = core;
    try {
      this.#open ??= await this.#connect(core);
      await this.#open.host.tick(this.#open.bus);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#outage.lasts(error.message);
      return;
    }
    if (this.#open?.bus.isConnected) this.#outage.over();
    else if (!this.#isClosed) this.#outage.lasts('the connection to NATS is lost.');
  }

  /** Returns how many reports wait for a host, and for how long the oldest has; null = NATS is not reached. */
  async waitingReports(): Promise<{ readonly count: number; readonly lag: Milliseconds } | null> {
    const open = this.#open;
    if (!open?.bus.isConnected) return null;
    const { count, oldest } = await open.bus.waitingReports();
    return { count, lag: oldest === null ? 0 : Math.max(0, open.host.brokerTime - oldest.at) };
  }

  /** Reads the faults of all agents, once for all who ask meanwhile; null = the service has not ticked yet. */
  async agentFaults(): Promise<AgentFaults | null> {
    if (!this.#core) return null;
    this.#faults ??= readAgentFaults(this.#core).finally(() => {
      this.#faults = null;
    });
    return this.#faults;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#open;
    this.#open = null;
    if (!open) return;
    // Closed first, so that the wait for reports ends.
    await Promise.all([open.host.stop(), open.bus.close()]);
  }

  async #connect(core: PluginCore): Promise<Open> {
    const { lease, offline_grace: grace, max_report_size: maxReportBytes, replicas } = this.#options;
    const subjects = new Subjects(this.#options.subject_prefix);
    const access = await hostAccess(this.#options, subjects, readHostKeys);
    const host = new FleetHost(core, fleetTimes(lease * 1000, grace * 1000), this.#log);
    const bus = await NatsBus.open({
      access,
      subjects,
      streams: { maxReportBytes, replicas },
      keys: access.keys,
      agentKeys: new AgentKeys(core),
      peer: { version: core.version, protocol, host: hostname() },
      clock: core.clock,
      listener: host,
      log: this.#log,
    });
    try {
      await host.start(bus);
      return { bus, host };
    } catch (error) {
      await bus.close();
      throw error;
    }
  }
}

/** Reads the keys that all hosts share. @throws HorariumError or WireError for a file that cannot be used. */
export function hostKeys(options: Pick<FleetOptions, 'host_key_file'>): PrivateKeys {
  return readHostKeys(hostKeyFile(options));
}
