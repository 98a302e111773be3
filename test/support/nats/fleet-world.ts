import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  readonly nats: TestNats;
  readonly #agents: RunningAgent[] = [];
  readonly #services: SpawnedProgram[] = [];

  private constructor(service: ServiceWorld, nats: TestNats) {
    this.service = service;
    this.nats = nats;
  }

  /** @param options of the plugin, besides where NATS and the keys of the hosts are. */
  static async create(kind: StoreKind, options: Readonly<Record<string, unknown>> = {}): Promise<FleetWorld> {
    const nats = await TestNats.start();
    const fleet = { servers: [nats.url], host_key_file: join(nats.folder, 'hosts.key'), lease: 4, ...options };
    const service = await ServiceWorld.create(kind, {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': fleet }),
    });
    return new FleetWorld(service, nats);
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
    const { out, code, err } = await this.service.cli.run(['agent:enroll', name, '--pool', 'gpu', ...options]);
    if (code !== 0) throw new Error(err);
    await this.applyPermissions();
    const file = join(this.nats.folder, `${name}.credential`);
    writeFileSync(file, out, { mode: 0o600 });
    return file;
  }

  /** Gives NATS the users and permissions that the service prints. */
  async applyPermissions(): Promise<void> {
    const { out, code, err } = await this.service.cli.run(['agent:permissions']);
    if (code !== 0) throw new Error(err);
    this.nats.configure(out);
    await this.nats.reload();
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
    await this.nats.close();
  }
}
