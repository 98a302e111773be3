import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeCredential } from '../../../../plugins/fleet-nats/wire/keys/credential.ts';
import { temporaryFolder } from '../../mocha/temporary-folder.ts';
import { AgentProcess } from '../../nats/agent-process.ts';
import { FleetWorld } from '../../nats/fleet-world.ts';
import type { TestNats } from '../../nats/test-nats.ts';
import type { SpawnedProgram } from '../../program/spawned-program.ts';
import { TestPostgres } from '../../store/test-postgres.ts';
import type { StoreKind } from '../service-world.ts';
import { AcknowledgedReports } from './acknowledged-reports.ts';
import { RestartedProcess } from './restarted-process.ts';

export type VictimKind = 'agent' | 'host' | 'NATS server' | 'PostgreSQL';

/** Something that is killed, and comes back. */
export interface Victim {
  readonly kind: VictimKind;
  /** Where the processes of its jobs have their folders; null = it has no jobs. */
  readonly folder: string | null;
  kill(): Promise<void>;
  /** Resolves when it has begun to start. */
  start(): Promise<void>;
}

/** The lease of its agents in seconds: short, so that many are lost in one run. */
const lease = 5;

/** The pools of its agents. */
const pools: Readonly<Record<string, readonly string[]>> = {
  a1: ['gpu'],
  a2: ['gpu', 'cpu'],
  a3: ['cpu'],
  a4: ['cpu'],
};

/** A service with four agents over a cluster of three NATS servers, of which each part may be killed. */
export class AgentField implements AsyncDisposable {
  readonly lease = lease * 1000;
  readonly world: FleetWorld;
  readonly hosts: readonly RestartedProcess[];
  readonly agents: readonly RestartedProcess[];
  readonly victims: readonly Victim[];
  readonly reports: AcknowledgedReports;
  readonly #postgres: TestPostgres | null;
  readonly #machines: readonly AgentMachine[];
  readonly #servers: readonly NatsVictim[];

  private constructor(
    world: FleetWorld,
    postgres: TestPostgres | null,
    parts: {
      readonly hosts: readonly RestartedProcess[];
      readonly machines: readonly AgentMachine[];
      readonly reports: AcknowledgedReports;
    },
  ) {
    this.world = world;
    this.hosts = parts.hosts;
    this.agents = parts.machines.map(({ process }) => process);
    this.reports = parts.reports;
    this.#postgres = postgres;
    this.#machines = parts.machines;
    this.#servers = world.cluster.map((server) => new NatsVictim(server));
    this.victims = [
      ...parts.machines.map(({ process, folder }) => victimOf('agent', process, folder)),
      ...parts.hosts.map((host) => victimOf('host', host, null)),
      ...this.#servers,
      ...(postgres ? [postgresVictim(postgres)] : []),
    ];
  }

  /** @param onHost called with each process of a host. */
  static async create(kind: StoreKind, onHost: (host: SpawnedProgram) => void): Promise<AgentField> {
    const postgres = kind === 'postgresql' ? new TestPostgres() : null;
    const place = postgres ? ({ servers: 3, postgres: await postgres.start() } as const) : ({ servers: 3 } as const);
    const world = await FleetWorld.create(kind, { lease, offline_grace: 60 }, place);
    const credentials = new Map<string, string>();
    for (const [name, own] of Object.entries(pools)) {
      const options = own.flatMap((pool) => ['--pool', pool]);
      credentials.set(name, await world.credentialOf(name, ...options));
    }
    await world.applyPermissions();
    const keys = [...credentials].map(([name, text]) => [name, decodeCredential(text).keys.publicKeys] as const);
    const reports = new AcknowledgedReports(await world.connectObserver(), new Map(keys), world.hostKeys);
    const machines = [...credentials].map(([name, credential]) => new AgentMachine(name, credential));
    const hosts = Array.from({ length: postgres ? 2 : 1 }, (_, index) => {
      const spawn = () => world.service.spawnService('--workers', '1');
      return new RestartedProcess(`host ${index + 1}`, spawn, onHost);
    });
    return new AgentField(world, postgres, { hosts, machines, reports });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#machines) await process.kill();
    for (const host of this.hosts) await host.kill();
    for (const machine of this.#machines) await machine[Symbol.asyncDispose]();
    await this.reports.close();
    for (const server of this.#servers) await server.kill();
    // Its database is dropped.
    await this.#postgres?.start();
    await this.world[Symbol.asyncDispose]();
    await this.#postgres?.close();
  }
}

/** A machine with an agent, whose folder stays when the agent is killed. */
class AgentMachine implements AsyncDisposable {
  readonly folder = temporaryFolder('agent');
  readonly process: RestartedProcess;
  #last: AgentProcess | undefined;

  constructor(name: string, credential: string) {
    this.process = new RestartedProcess(`agent ${name}`, () => {
      this.#last = new AgentProcess(credential, ['--slots', '4'], {}, this.folder);
      return this.#last.program;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last?.[Symbol.asyncDispose]();
  }
}

/** A NATS server that is started until it runs: another program may have its port for a moment. */
class NatsVictim implements Victim {
  readonly kind = 'NATS server';
  readonly folder = null;
  readonly #server: TestNats;
  #isWanted = true;
  #starting: Promise<void> = Promise.resolve();

  constructor(server: TestNats) {
    this.#server = server;
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    await this.#server.kill();
    await this.#starting;
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    this.#starting = this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      const isReady = await this.#server.run().then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await pause(500);
    }
  }
}

function victimOf(kind: VictimKind, process: RestartedProcess, folder: string | null): Victim {
  return { kind, folder, kill: () => process.kill(), start: async () => process.start() };
}

function postgresVictim(postgres: TestPostgres): Victim {
  return {
    kind: 'PostgreSQL',
    folder: null,
    kill: () => postgres.kill(),
    start: async () => void (await postgres.start()),
  };
}

/** Lets jobs of agents, which run as another user, write into a folder. */
export function openFolder(folder: string): string {
  chmodSync(folder, 0o777);
  return folder;
}
