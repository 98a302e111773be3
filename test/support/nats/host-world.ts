import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  App,
  allResources,
  Company,
  Job,
  type PreparedPlugin,
  preparePlugin,
  RunTemplate,
  tablesOf,
  trustedActor,
} from '@horarium/core';
import { AgentPresence } from '#core/worker/lease/agent-presence';
import { NatsLink } from '../../../plugins/fleet-nats/agent/nats-link.ts';
import fleetNats from '../../../plugins/fleet-nats/plugin.ts';
import { Agent } from '../../../plugins/fleet-nats/records/agent.ts';
import { Pool } from '../../../plugins/fleet-nats/records/pool.ts';
import { fleetResources } from '../../../plugins/fleet-nats/records/resources.ts';
import { decodeCredential } from '../../../plugins/fleet-nats/wire/keys/credential.ts';
import type { PrivateKeys } from '../../../plugins/fleet-nats/wire/keys/keys.ts';
import type { AgentHeartbeat, AgentOrder, AttemptsAnswer } from '../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { MovableClock } from '../clocks/movable-clock.ts';
import { ScriptedExecutor } from '../executors/scripted-executor.ts';
import { eventually } from '../mocha/eventually.ts';
import { openTestStore } from '../store/test-store.ts';
import { MemoryCore } from '../worlds/memory-core.ts';
import { NatsFleet } from './nats-fleet.ts';

const resources = [...allResources, ...fleetResources.map(({ resource }) => resource)];

/**
 * A host with the plugin on a real NATS, which ticks when the test says, and the connection of one agent, `gpu1` of the pool
 * `gpu`, which does what the test says.
 */
export class HostWorld implements AsyncDisposable {
  readonly actor = trustedActor('anna', 'http');
  /** The clock of the store, by which the service goes. */
  readonly storeClock = new MovableClock();
  readonly fleet = new NatsFleet({ gpu1: ['gpu'] });
  /** What the host has logged. */
  readonly log: string[] = [];
  /** The orders that the agent got. */
  readonly orders: AgentOrder[] = [];
  core!: MemoryCore;
  readonly #clock = new MovableClock();
  #options: Readonly<Record<string, unknown>> = {};
  readonly #plugins: PreparedPlugin[] = [];
  #link: NatsLink | undefined;
  #beats = 0;
  /** The process of the agent. */
  #instance = randomUUID();
  readonly #heartbeat: Omit<AgentHeartbeat, 'instance'> = {
    version: '0.1.0',
    protocol,
    slots: 2,
    labels: {},
    executors: ['native'],
    draining: false,
    stopped: false,
    running: [],
  };

  /** @param options of the plugin, besides where NATS and the keys of the hosts are. */
  async start(options: Readonly<Record<string, unknown>> = {}): Promise<this> {
    const { fleet } = this;
    await fleet.start();
    const clock = this.#clock;
    this.#options = options;
    const { plugin, setup } = this.#prepare(fleet.hosts);
    const executors = [new ScriptedExecutor(), ...(plugin.executors?.(setup) ?? [])];
    const store = openTestStore(this.storeClock, tablesOf(resources));
    this.core = new MemoryCore({ resources, executors, store, clock });
    const { id: pool } = await this.core.records(Pool).save(this.actor, { name: 'gpu' });
    const { signing: nkey, sealing: xkey } = fleet.keysOf('gpu1').publicKeys.texts;
    await this.core.records(Agent).save(this.actor, { name: 'gpu1', pools: [pool], nkey, xkey });
    return this;
  }

  /** Lets the host do what it does each second. */
  async tick([host] = this.#plugins): Promise<void> {
    const { plugin, setup } = host as PreparedPlugin;
    for (const ticker of plugin.tickers?.(setup) ?? []) await ticker.tick(this.core);
  }

  /** Does the check of NATS, as doctor does. @returns what it found. */
  async check([host] = this.#plugins): Promise<string> {
    const { plugin, setup } = host as PreparedPlugin;
    const check = plugin.checks?.(setup).find(({ name }) => name === 'NATS');
    return String(await check?.run(async () => this.core));
  }

  /** Adds a host that has other keys. */
  addOtherHost() {
    const log: string[] = [];
    const host = this.#prepare(this.fleet.otherHosts, log);
    return { log, tick: () => this.tick([host]), check: () => this.check([host]) };
  }

  /** Sends a heartbeat of the agent, and waits until the host has seen it. */
  async beat(fields: Partial<AgentHeartbeat> = {}): Promise<void> {
    // JetStream may begin after the server takes connections, and its streams are made by the host.
    await eventually('the heartbeat is stored', async () => {
      await this.tick();
      return this.send(fields).then(
        () => true,
        () => false,
      );
    });
    // The host writes at once what has changed of an agent.
    await eventually('the host has seen the heartbeat', async () => {
      await this.tick();
      const [seen] = await this.core.store.read((tables) => tables.of(AgentPresence).find());
      return seen?.labels['beat'] === String(this.#beats);
    });
  }

  /** Sends a heartbeat of the agent. */
  async send(fields: Partial<AgentHeartbeat> = {}): Promise<void> {
    this.#link ??= await this.#connectAgent();
    const labels = { beat: String(++this.#beats) };
    await this.#link.beat({ ...this.#heartbeat, instance: this.#instance, labels, ...fields });
  }

  /** Lets another process be the agent. */
  async restartAgent(): Promise<void> {
    await this.#link?.close();
    this.#link = undefined;
    this.#instance = randomUUID();
  }

  /** Stops the host, and lets another process be it, which has not ticked yet. */
  async restartHost(): Promise<void> {
    const [{ plugin, setup } = this.#prepare(this.fleet.hosts)] = this.#plugins.splice(0);
    await plugin.stop?.(setup);
    this.#prepare(this.fleet.hosts);
  }

  /** Schedules a job of the pool and lets the agent claim it. */
  async claimJob(): Promise<{ readonly job: number; readonly claim: string }> {
    const { records } = this.core;
    const save = records.bind(this.core);
    const { id: app_id } = await save(App).save(this.actor, { name: randomUUID(), executable: '/bin/true' });
    const { id: company_id } = await save(Company).save(this.actor, { code: randomUUID().slice(0, 8), name: 'Acme' });
    const template = { app_id, company_id, name: 'on gpu', interval: 'none', executor: 'agent' } as const;
    const { id: runtemplate_id } = await save(RunTemplate).save(this.actor, {
      ...template,
      executor_options: { pool: 'gpu' },
    });
    const { id: job } = await this.core.jobs.schedule(this.actor, { runtemplate_id });
    const claim = randomUUID();
    const ask = { kind: 'claim', id: claim, free: 1, abandoned: [] } as const;
    const answer = (await this.#link?.ask(ask, new AbortController().signal)) as AttemptsAnswer;
    if (answer.attempts[0]?.job !== job) throw new Error(`Job ${job} was not claimed.`);
    return { job, claim };
  }

  async readJob(id: number) {
    const [job] = await this.core.store.read((tables) => tables.of(Job).find({ where: [['id', '=', id]] }));
    return job as NonNullable<typeof job>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link?.close();
    for (const { plugin, setup } of this.#plugins) await plugin.stop?.(setup);
    await this.fleet.close();
  }

  /** @param log where its sentences go. */
  #prepare(keys: PrivateKeys, log = this.log): PreparedPlugin {
    const { url, folder } = this.fleet.server;
    const host_key_file = join(folder, `${randomUUID()}.key`);
    const { signing, sealing } = keys.seeds();
    writeFileSync(host_key_file, `${signing}\n${sealing}\n`, { mode: 0o600 });
    const given = { servers: [url], host_key_file, ...this.#options };
    const prepared = preparePlugin(fleetNats, given, this.#clock, (_plugin, sentence) => void log.push(sentence));
    this.#plugins.push(prepared);
    return prepared;
  }

  async #connectAgent(): Promise<NatsLink> {
    const credential = decodeCredential(this.fleet.credentialOf('gpu1'));
    const link = await NatsLink.open({ credential, version: '0.1.0', labels: {}, ca: null, log: () => undefined });
    link.listen({
      work: () => undefined,
      order: (order) => void this.orders.push(order),
      hostsAlive: () => undefined,
      dropped: (reason) => void this.log.push(reason),
    });
    return link;
  }
}
