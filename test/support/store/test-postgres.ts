import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** Where the server of this test run is; set by the fixture for all its processes. */
const variable = 'HORARIUM_TEST_POSTGRES';

/** One PostgreSQL server for tests, made when it is first started; gone with this process, however that ends. */
export class TestPostgres {
  readonly folder: string;
  readonly #keeper: ReturnType<typeof spawn>;
  readonly #ready: Promise<void>;

  /** @param environment of the server. */
  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'horarium-postgres-'));
    // Servers that run as other users have folders of their own in it.
    chmodSync(this.folder, 0o711);
    const program = fileURLToPath(new URL('./postgres-keeper.js', import.meta.url));
    // In a group of its own, so that Ctrl-C does not end it before it has tidied up.
    const keeper = spawn(process.execPath, [program, this.folder, JSON.stringify(environment)], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#keeper = keeper;
    this.#ready = new Promise((resolve, reject) => {
      keeper.stdout.once('data', () => {
        // From now on it does not keep this process from ending.
        keeper.unref();
        for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref(): void }).unref();
        resolve();
      });
      keeper.once('exit', (code) => reject(new Error(`The keeper of PostgreSQL ended with ${code}.`)));
    });
    this.#ready.catch(() => undefined);
  }

  async ready(): Promise<void> {
    await this.#ready;
  }

  /** Starts the server unless it runs; returns the URL of its administrative database. */
  async start(): Promise<string> {
    await this.#ready;
    return ask(this.folder, 'start');
  }

  /** Stops the server at once; what was committed is kept. */
  async stop(): Promise<void> {
    await this.#ready;
    await ask(this.folder, 'stop');
  }

  /** Kills all processes of the server with SIGKILL. */
  async kill(): Promise<void> {
    await this.#ready;
    await ask(this.folder, 'kill');
  }

  /** Ends the server and removes all that it wrote. */
  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#keeper.once('exit', resolve));
    this.#keeper.ref();
    this.#keeper.stdin?.end();
    await gone;
  }

  /** Tells the processes that this one starts where the server is. */
  share(): void {
    process.env[variable] = this.folder;
  }
}

function ask(folder: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const socket = connect(join(folder, 'keeper.sock'), () => socket.write(`${command}\n`));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      line += chunk;
    });
    socket.on('close', () => {
      const { url, error } = JSON.parse(line || '{"error":"The keeper of PostgreSQL has ended."}');
      if (error === undefined) resolve(url);
      else reject(new Error(error));
    });
  });
}

let own: TestPostgres | undefined;

/** The URL of the administrative database of this test run's server, which is started when first asked for. */
async function server(): Promise<string> {
  const folder = process.env[variable];
  if (folder) return ask(folder, 'start');
  own ??= new TestPostgres();
  return own.start();
}

let made = 0;

/** Creates an empty database, or a copy of another; returns its URL. */
export async function createDatabase(
  options: { readonly from?: string; readonly server?: string } = {},
): Promise<string> {
  const url = new URL(options.server ?? (await server()));
  made += 1;
  const name = `test_${process.pid}_${made}`;
  const template = options.from ? ` template "${new URL(options.from).pathname.slice(1)}"` : '';
  await administer(url.href, `create database "${name}"${template}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database, also while clients are connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  const admin = new URL(url);
  const name = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  await administer(admin.href, `drop database if exists "${name}" with (force)`);
}

/** Runs one statement as the owner of the server. */
export async function administer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
