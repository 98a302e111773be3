import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { freePort } from '../run/free-port.ts';

/** The path of nats-server, which comes from the operating system; undefined = tests that need it are skipped. */
export const natsServer = process.env['HORARIUM_TEST_NATS_SERVER'];

/** A nats-server with JetStream on loopback, with a folder of its own. It dies with this process. */
export class TestNats {
  readonly folder = temporaryFolder('nats');
  readonly port: number;
  readonly #cluster: string;
  #server: ChildProcess | undefined;
  #log = '';

  private constructor(port: number, cluster: string) {
    this.port = port;
    this.#cluster = cluster;
    mkdirSync(join(this.folder, 'data'));
  }

  /** Starts a server. @param configuration more of its configuration file, such as `authorization { … }`. */
  static async start(configuration = ''): Promise<TestNats> {
    const server = new TestNats(await freePort(), '');
    server.configure(configuration);
    await server.run();
    return server;
  }

  /** Starts a cluster of three, and waits until its JetStream has a leader. */
  static async startCluster(configuration = ''): Promise<TestNats[]> {
    const ports = await Promise.all([1, 2, 3].map(freePort));
    const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`).join(', ');
    const servers = await Promise.all(
      ports.map(async (port) => {
        const cluster = `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
        return new TestNats(await freePort(), cluster);
      }),
    );
    for (const server of servers) server.configure(configuration);
    await Promise.all(servers.map((server) => server.run()));
    await Promise.race(servers.map((server) => server.#logged('JetStream cluster new metadata leader')));
    return servers;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** The id of its process, while it runs. */
  get pid(): number {
    return this.#server?.pid as number;
  }

  /** Writes the configuration file, which counts when the server starts or reloads. */
  configure(configuration: string): void {
    const store = `jetstream { store_dir: "${join(this.folder, 'data')}" }`;
    const own = [`listen: "127.0.0.1:${this.port}"`, `server_name: "test-${this.port}"`, store, this.#cluster];
    writeFileSync(this.#file, [...own, configuration, ''].join('\n'));
  }

  /** Runs the server on the data that there is, on its port, until it accepts connections. */
  async run(): Promise<void> {
    this.#log = '';
    const command = ['--pdeathsig', 'KILL', natsServer as string, '-c', this.#file];
    this.#server = spawn('setpriv', command, { env: {}, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server.stderr?.on('data', (chunk) => {
      this.#log += chunk;
    });
    await this.#logged('Server is ready');
  }

  /** Makes the server read its configuration file again, and waits until it has. */
  async reload(): Promise<void> {
    this.#log = '';
    this.#server?.kill('SIGHUP');
    await this.#logged('Reloaded server configuration');
  }

  /** Kills the server with SIGKILL; `run` starts it again. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const closed = once(server, 'close');
    server.kill('SIGKILL');
    await closed;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.folder, 'nats.conf');
  }

  /** Waits until the server has logged a text. */
  #logged(text: string): Promise<void> {
    const server = this.#server;
    return new Promise<void>((resolve, reject) => {
      const check = () => {
        if (this.#log.includes(text)) settle(resolve);
      };
      const fail = () => settle(() => reject(new Error(`nats-server has not logged "${text}": ${this.#log}`)));
      const settle = (result: () => void) => {
        server?.stderr?.off('data', check);
        server?.off('close', fail).off('error', fail);
        result();
      };
      server?.stderr?.on('data', check);
      server?.on('close', fail).on('error', fail);
      check();
    });
  }
}
