import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { newVaultKey } from '../../adapters/node/vault.ts';
import type { BenchDatabase } from './databases.ts';

const program = fileURLToPath(new URL('../../host/main.js', import.meta.url));
const password = 'correct horse battery';
/** One for all processes that use one store. */
const vaultKey = newVaultKey();

/** The real `horarium serve` in a process of its own, asked over a real socket. */
export class Service implements AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly origin: string;
  readonly #process: ChildProcess;
  #agent = new Agent({ keepAlive: true });
  #token = '';

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.pid = process.pid as number;
    this.url = url;
    this.origin = new URL(url).origin;
  }

  /**
   * Resolves when it says that it listens.
   * @param log `ignore`: it is written, and goes nowhere.
   */
  static async start(
    database: Pick<BenchDatabase, 'url' | 'synchronous'>,
    environment: Readonly<Record<string, string>> = {},
    log: 'inherit' | 'ignore' = 'inherit',
  ): Promise<Service> {
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', log],
      env: {
        PATH: process.env['PATH'],
        HORARIUM_PORT: '0',
        HORARIUM_DATABASE_URL: database.url,
        HORARIUM_SQLITE_SYNCHRONOUS: database.synchronous,
        HORARIUM_ADMIN_PASSWORD: password,
        HORARIUM_VAULT_KEY: vaultKey,
        HORARIUM_LOG_LEVEL: 'warn',
        HORARIUM_LOG_FORMAT: 'json',
        ...environment,
      },
    });
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${said}`)));
      child.stdout.on('data', (chunk) => {
        said += chunk;
        const found = /listening on (\S+)/.exec(said)?.[1];
        if (found) resolve(found);
      });
    });
    return new Service(child, url);
  }

  /** Signs in as the first user. */
  async signIn(): Promise<void> {
    const { access_token } = await this.ask('POST', '/login.json', { login: 'admin', password });
    this.#token = access_token as string;
  }

  /** The two ways to say who one is, as the header takes them. */
  get authorization(): { readonly bearer: string; readonly basic: string } {
    return { bearer: `Bearer ${this.#token}`, basic: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  }

  /** @throws Error when the answer is not one of success. */
  ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Record<string, unknown>> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url + path, { method, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          if ((response.statusCode as number) >= 300) reject(new Error(`${method} ${path}: ${text}`));
          else resolve(JSON.parse(text) as Record<string, unknown>);
        });
      });
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  }

  /** Gives up connections that it may have closed while nobody listened. */
  reconnect(): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  /** What it holds in memory, in MB. */
  get memory(): number {
    return memoryOf(this.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    // One that has ended by itself says so no more.
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    await gone;
  }
}

/** The resident memory of a process, in MB: what `ps` shows, though that counts in units of 1,024 bytes. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1_000_000;
}

/** The processor time that a process has used, in milliseconds, to ten of them. */
export function cpuTimeOf(pid: number): number {
  // The name of the program, in parentheses, may hold anything; the numbers come after it.
  const numbers = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') as string[];
  return (Number(numbers[11]) + Number(numbers[12])) * 10;
}
