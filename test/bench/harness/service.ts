import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newVaultKey } from '@horarium/core/node';
import type { BenchDatabase } from './databases.ts';

/** The checkout that this program was built in. */
export const ownRoot = fileURLToPath(new URL('../../../../', import.meta.url));
/** That of the first user, admin. */
export const password = 'correct horse battery';
/** The same for all processes, because those that use one store need one key. */
const vaultKey = newVaultKey();

/** Older commits have no bundle. */
function programOf(root: string): string {
  const bundle = join(root, 'dist/bundle/main.js');
  return existsSync(bundle) ? bundle : join(root, 'dist/host/main.js');
}

function environmentOf({ url, synchronous }: Pick<BenchDatabase, 'url' | 'synchronous'>) {
  return {
    PATH: process.env['PATH'],
    HORARIUM_DATABASE_URL: url,
    HORARIUM_SQLITE_SYNCHRONOUS: synchronous,
    HORARIUM_VAULT_KEY: vaultKey,
  };
}

/** Returns what `spawn` takes to run a command on the store of a service. */
export function commandOf(database: Pick<BenchDatabase, 'url' | 'synchronous'>, line: readonly string[]) {
  const options = { cwd: tmpdir(), stdio: 'inherit', env: environmentOf(database) } as const;
  return [process.execPath, [programOf(ownRoot), ...line], options] as const;
}

/** The real `horarium serve` in a process of its own, called over a real socket. */
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
   * Starts the service, and resolves when it prints that it listens.
   * @param environment of the service; `undefined` takes a variable off it.
   * @param log `ignore` sends the log to /dev/null: the service writes it, and no one reads it.
   * @param root the checkout whose built service is started.
   */
  static async start(
    database: Pick<BenchDatabase, 'url' | 'synchronous'>,
    environment: Readonly<Record<string, string | undefined>> = {},
    log: 'inherit' | 'ignore' = 'inherit',
    root = ownRoot,
  ): Promise<Service> {
    const child = spawn(process.execPath, [programOf(root), 'serve'], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', log],
      env: {
        ...environmentOf(database),
        HORARIUM_PORT: '0',
        HORARIUM_ADMIN_PASSWORD: password,
        HORARIUM_MAX_REQUESTS_PER_SECOND: '0',
        // Says that root is meant, so that the service does not warn.
        ...(process.getuid?.() === 0 && { HORARIUM_RUN_AS: 'root' }),
        HORARIUM_LOG_LEVEL: 'warn',
        HORARIUM_LOG_FORMAT: 'json',
        ...environment,
      },
    });
    let printed = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${printed}`)));
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        const found = /listening on (\S+)/.exec(printed)?.[1];
        if (found) resolve(found);
      });
    });
    return new Service(child, url);
  }

  /** Signs in as the first user. */
  async signIn(): Promise<void> {
    const { access_token } = await this.request('POST', '/login.json', { login: 'admin', password });
    this.#token = access_token as string;
  }

  /** The values of the Authorization header, by scheme. */
  get authorization(): { readonly bearer: string; readonly basic: string } {
    return { bearer: `Bearer ${this.#token}`, basic: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  }

  /** Sends a request and returns the JSON of the response. @throws Error for a status other than 2xx. */
  request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Record<string, unknown>> {
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

  /** Opens new connections, because the service may have closed idle ones. */
  reconnect(): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Resident memory, in MB. */
  get memory(): number {
    return memoryOf(this.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    // A process that has ended by itself emits no further event.
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    await ended;
  }
}

/** What the kernel counts as the memory of a process, in MB. */
export interface ProcessMemory {
  /** What is resident, with the pages of programs and libraries that other processes may have in common with it. */
  readonly resident: number;
  /** The same, where of a page that several processes have each one counts its part. */
  readonly proportional: number;
  /** What is its alone and is in no file: that is freed when it ends. */
  readonly own: number;
}

/** Reads the memory of a process of this or, as root, of another user. */
export function memoryDetailsOf(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (key: string) => (Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024) / 1_000_000;
  return { resident: of('Rss'), proportional: of('Pss'), own: of('Private_Dirty') };
}

/** The resident memory of a process, in MB of 1,000,000 bytes; `ps` shows the same in KiB. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1_000_000;
}
