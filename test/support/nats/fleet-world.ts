import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { readExistingHostKeys } from '../../../plugins/fleet-nats/wire/keys/host-keys.ts';
import type { PrivateKeys } from '../../../plugins/fleet-nats/wire/keys/keys.ts';
import { ServiceWorld, type StoreKind } from '../faults/service-world.ts';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { TestNats } from './test-nats.ts';

/** An agent in a process of its own, which knows nothing but its credential. */
export interface RunningAgent {
  readonly name: string;
  readonly program: SpawnedProgram;
}

/** A service with agents: its store, NATS with the permissions that it prints, and processes of both, which tests may kill. */
export class FleetWorld implements AsyncDisposable {
  readonly service: ServiceWorld;
  /** One server, or a cluster of three. */
  readonly cluster: readonly TestNats[];
  readonly #observer = createUser();
  readonly #agents: RunningAgent[] = [];
  readonly #services: SpawnedProgram[] = [];

  private constructor(service: ServiceWorld, cluster: readonly TestNats[]) {
    this.service = service;
    this.cluster = cluster;
  }

  /**
   * @param options of the plugin, besides where NATS and the keys of the hosts are.
   * @param servers how many NATS servers there are: 1 or 3.
   * @param postgres the URL of a PostgreSQL server, if not that of the test run.
   */
  static async create(
    kind: StoreKind,
    options: Readonly<Record<string, unknown>> = {},
    { servers = 1, postgres }: { readonly servers?: 1 | 3; readonly postgres?: string } = {},
  ): Promise<FleetWorld> {
    const cluster = servers === 1 ? [await TestNats.start()] : await TestNats.startCluster();
    const fleet = {
      servers: cluster.map(({ url }) => url),
      replicas: servers,
      host_key_file: keyFile(cluster),
      lease: 4,
      ...options,
    };
    const settings = {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': fleet }),
    };
    const service = await ServiceWorld.create(kind, settings, postgres === undefined ? {} : { server: postgres });
    return new FleetWorld(service, cluster);
  }

  /** The first NATS server. */
  get nats(): TestNats {
    return this.cluster[0] as TestNats;
  }

  /** The keys that the hosts share. */
  get hostKeys(): PrivateKeys {
    return readExistingHostKeys(keyFile(this.cluster));
  }

  /** Connects to NATS as a user who may read and write all, once `applyPermissions` was called. */
  connectObserver(): Promise<NatsConnection> {
    const authenticator = nkeyAuthenticator(this.#observer.getSeed());
    return connect({ servers: this.cluster.map(({ url }) => url), authenticator, maxReconnectAttempts: -1 });
  }

  async startService(): Promise<string> {
    const { service, url } = await this.service.startService();
    this.#services.push(service);
    return url;
  }

  /** Kills the process of the service that was started first with SIGKILL. */
  async killService(): Promise<void> {
    const service = this.#services.shift();
    service?.process.kill('SIGKILL');
    await service?.ended;
  }

  /** Returns a path that a job may wait for, until `release` makes it. */
  gate(name: string): string {
    return join(this.nats.folder, `gate-${name}`);
  }

  release(name: string): void {
    writeFileSync(this.gate(name), '');
  }

  /** Lets an agent join, and NATS let it in. @returns the file of its credential. */
  async enroll(name: string, ...options: readonly string[]): Promise<string> {
    const credential = await this.credentialOf(name, '--pool', 'gpu', ...options);
    await this.applyPermissions();
    const file = join(this.nats.folder, `${name}.credential`);
    writeFileSync(file, credential, { mode: 0o600 });
    return file;
  }

  /** Lets an agent join. @returns its credential. */
  async credentialOf(name: string, ...options: readonly string[]): Promise<string> {
    const { out, code, err } = await this.service.cli.run(['agent:enroll', name, ...options]);
    if (code !== 0) throw new Error(err);
    return out;
  }

  /** Gives NATS the users and permissions that the service prints, and the observer. */
  async applyPermissions(): Promise<void> {
    const { out, code, err } = await this.service.cli.run(['agent:permissions']);
    if (code !== 0) throw new Error(err);
    const users = 'users: [\n';
    const configuration = out.replace(users, `${users}    { nkey: ${this.#observer.getPublicKey()} }\n`);
    for (const server of this.cluster) server.configure(configuration);
    await Promise.all(this.cluster.map((server) => server.reload()));
  }

  /** Starts an agent with a credential, and waits until it has joined. */
  async startAgent(name: string, credential: string, ...options: readonly string[]): Promise<RunningAgent> {
    const folder = temporaryFolder(`agent-${name}`);
    chmodSync(folder, 0o700);
    const environment = process.getuid?.() === 0 ? { HORARIUM_RUN_AS: 'root' } : {};
    const line = ['agent', '--credential', credential, '--slots', '4', ...options];
    const program = new SpawnedProgram(line, { folder, environment } as never);
    const agent = { name, program };
    this.#agents.push(agent);
    await program.waitForOutput(new RegExp(`^agent ${name} `, 'm'));
    return agent;
  }

  /** Enrolls an agent and starts it. */
  async addAgent(name: string, ...options: readonly string[]): Promise<RunningAgent> {
    return this.startAgent(name, await this.enroll(name), ...options);
  }

  /** Adds a template whose jobs run a script in a shell of an agent of the pool `gpu`. @returns its id. */
  addTemplate(name: string, script: string, fields: Readonly<Record<string, string | number | boolean>> = {}) {
    const placed = { executor: 'agent', executor_options: '{"pool":"gpu"}', interval: 'none', overlap: 'allow' };
    return this.service.addTemplate(name, ['-c', script], { ...placed, ...fields });
  }

  /** Runs a template once. @returns the id of the job. */
  async run(template: number): Promise<number> {
    return (await this.service.run('runtemplate:run', String(template))).id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a job.
  job(id: number): Promise<any> {
    return this.service.run('job:get', String(id));
  }

  /** Waits until a job is in a state. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a job.
  async jobIn(id: number, state: string): Promise<any> {
    await eventually(`job ${id} is ${state}`, async () => (await this.job(id)).state === state);
    return this.job(id);
  }

  /** Waits until the stored output of a job has a text. */
  async outputOf(id: number, text: string): Promise<string> {
    await eventually(`job ${id} has written ${text}`, async () => (await this.job(id)).stdout.includes(text));
    return (await this.job(id)).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { program } of this.#agents) program.process.kill('SIGKILL');
    await Promise.all(this.#agents.map(({ program }) => program.ended));
    await this.service[Symbol.asyncDispose]();
    await Promise.all(this.cluster.map((server) => server.close()));
  }
}

function keyFile([first]: readonly TestNats[]): string {
  return join((first as TestNats).folder, 'hosts.key');
}
