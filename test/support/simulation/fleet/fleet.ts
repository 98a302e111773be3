import type { Clock, RunTemplateRow } from '@horarium/core';
import { AgentAttempts } from '#core/agent/agent-attempts';
import type { AuditedStore } from '#core/audit/audited-store';
import { writePlacement } from '#core/executor/placement';
import type { Ticker } from '#core/loop/loop';
import type { Worker } from '#core/worker/worker';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import { failingPreparation } from '../world/preparation.ts';
import type { Random } from '../world/random.ts';
import type { Script } from '../world/simulated-executor.ts';
import { AgentTeller } from './agent-teller.ts';
import { AskAnswerer } from './ask-answerer.ts';
import { Broker } from './broker.ts';
import { FleetChaos } from './fleet-chaos.ts';
import { fleetExecutor } from './fleet-executor.ts';
import { FleetRecord } from './fleet-record.ts';
import type { AgentHostContext } from './host-context.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { Link, Network } from './network.ts';
import { type AgentBug, withAgentBug } from './planted-agent-bugs.ts';
import { ReportTaker } from './report-taker.ts';
import { type AgentSpec, SimulatedAgent } from './simulated-agent.ts';

const second = 1000;
const day = 86_400 * second;
const lines = ['one\n', 'two\n', 'three\n', 'four\n', 'five\n', 'six\n', 'seven\n'];

/** The company whose jobs alone run in the pool `own`: the first one of each simulation. */
const owner = 1;
const placements = [
  { pool: 'gpu', labels: {} },
  { pool: 'gpu', labels: {} },
  { pool: 'gpu', labels: { arch: 'arm64' } },
  { pool: 'dmz', labels: {} },
  { pool: 'own', labels: {} },
];

export interface FleetOptions {
  readonly time: VirtualTime;
  /** Its own, so that what hosts and people do does not depend on it. */
  readonly random: Random;
  readonly bug: AgentBug | null;
  script(): Script;
}

/** A host that agents are connected to. */
export interface FleetHost {
  readonly store: AuditedStore;
  readonly clock: Clock;
  isAlive(): boolean;
  pausedUntil(): number;
  /** Lets a ticker tick soon. */
  wake(ticker: string): void;
  /** Called when jobs may have become due. */
  onJobs(): void;
  /** Called with each job that is prepared, which may end the host. */
  prepare(jobId: number): void;
  readonly worker: Worker;
}

/** The agents around a service, the broker between them, and what disturbs both. */
export class Fleet {
  readonly record = new FleetRecord();
  readonly broker: Broker;
  readonly specs: ReadonlyMap<string, AgentSpec>;
  readonly #options: FleetOptions;
  readonly #network: Network;
  readonly #chaos: FleetChaos;
  /** The latest process of each agent. */
  readonly #agents = new Map<string, SimulatedAgent>();
  #instances = 0;
  #isDisturbed = true;

  constructor(options: FleetOptions) {
    const { time, random } = options;
    this.#options = options;
    this.#network = new Network(time, random);
    this.broker = new Broker(this.#network, random);
    this.specs = new Map(randomSpecs(random).map((spec) => [spec.name, spec]));
    const start = (spec: AgentSpec) => this.#start(spec);
    const network = this.#network;
    this.#chaos = new FleetChaos({ time, random, network, record: this.record, agents: this.#agents, start });
    for (const spec of this.specs.values()) this.#start(spec);
    this.#chaos.begin();
  }

  /** Lets some templates run on agents. */
  place<R extends Omit<RunTemplateRow, 'id'>>(template: R): R {
    const { random } = this.#options;
    const { pool, labels } = random.pick(placements);
    if (random.chance(0.15) || (pool === 'own' && template.company_id !== owner)) return template;
    const executor_options = { pool, labels };
    return {
      ...template,
      executor: fleetExecutor.name,
      executor_options,
      placement: writePlacement({ pool, executor: 'native', labels }),
    };
  }

  /** Connects a host. @returns what it does for agents. */
  connect(host: FleetHost): readonly Ticker[] {
    const { bug } = this.#options;
    const { broker, record, specs: agents } = this;
    const link = new Link(this.#network, host);
    const { store, clock } = host;
    const attempts = new AgentAttempts({
      ...failingPreparation((jobId) => host.prepare(jobId)),
      store,
      worker: host.worker,
      executors: new Map([[fleetExecutor.name, fleetExecutor]]),
      onJobs: () => host.onJobs(),
    });
    const context: AgentHostContext = {
      store,
      clock,
      link,
      broker,
      ledger: withAgentBug(attempts, bug),
      agents,
      record,
      bug,
    };
    const answerer = new AskAnswerer(context);
    broker.connectHost({
      link,
      receive: (ask) => {
        answerer.add(ask);
        host.wake(answerer.name);
      },
      notify: () => host.wake(ReportTaker.tickerName),
    });
    this.#chaos.disturbHost(link);
    return [answerer, new ReportTaker(context), new LeaseKeeper(context), new AgentTeller(context)];
  }

  /** Ends the disturbance: all agents are there, and all messages arrive. */
  end(): void {
    this.#isDisturbed = false;
    this.#chaos.end();
    this.#network.calm();
    for (const spec of this.specs.values()) {
      const agent = this.#agents.get(spec.name);
      if (agent?.isAlive) agent.recover();
      else this.#start(spec);
    }
  }

  /** Whether no report waits, and no agent has an attempt. */
  get isIdle(): boolean {
    return this.broker.waiting === 0 && [...this.#agents.values()].every(({ attempts }) => attempts === 0);
  }

  #start(spec: AgentSpec): void {
    const { time, random, bug, script } = this.#options;
    const { broker, record } = this;
    const agent = new SimulatedAgent(spec, {
      time,
      random,
      network: this.#network,
      broker,
      record,
      bug,
      instance: ++this.#instances,
      clockAhead: random.integer(-day, day),
      script: () => this.#withOutput(script()),
      disturb: (each) => this.#chaos.disturb(each),
    });
    this.#agents.set(spec.name, agent);
  }

  /** Lets attempts print more than on hosts, and some of them take longer than a lease. */
  #withOutput(script: Script): Script {
    const { random } = this.#options;
    const duration = this.#isDisturbed && random.chance(0.5) ? random.integer(20, 360) * second : script.duration;
    return { ...script, duration, output: lines.slice(0, random.integer(0, lines.length)) };
  }
}

/** Returns the agents of a simulation; the first one may run everything. */
function randomSpecs(random: Random): AgentSpec[] {
  const everything = new Map([
    ['gpu', null],
    ['dmz', null],
    ['own', new Set([owner])],
  ]);
  const first = { name: 'agent1', pools: everything, labels: { arch: 'arm64', site: 'brno' }, slots: 3 };
  const others = Array.from({ length: random.integer(2, 3) }, (_, index): AgentSpec => {
    const pools = random.pick([['gpu', 'dmz'], ['gpu', 'dmz', 'own'], ['gpu', 'own'], ['dmz']]);
    return {
      name: `agent${index + 2}`,
      pools: new Map([...everything].filter(([pool]) => pools.includes(pool))),
      labels: random.chance(0.5) ? { arch: 'arm64' } : {},
      slots: random.integer(1, 4),
    };
  });
  return [first, ...others];
}
