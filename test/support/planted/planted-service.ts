import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkedFetch } from '../http/checked-fetch.ts';
import type { SpawnedProgram } from '../program/spawned-program.ts';
import { spawnService } from '../program/spawned-program.ts';
import { type CliResult, TestCli } from '../program/test-cli.ts';
import { administer } from '../store/test-postgres.ts';
import type { Exposure } from './find-planted-secrets.ts';
import { marker, secretFor } from './planted-secrets.ts';
import { secretPluginSource } from './secret-plugin-source.ts';

/** The formats that the service has. */
export const suffixes = ['json', 'xml', 'yaml', 'csv', 'html'];
/** A key of 32 bytes whose base64 contains the marker. */
export const plantedVaultKey = `${`${marker}VAULT`.padEnd(42, 'A')}A=`;

/** A service whose secret settings are planted secrets. It records all that users can read of it. */
export class PlantedService implements AsyncDisposable {
  readonly exposures: Exposure[] = [];
  readonly program: SpawnedProgram;
  /** A token of the administrator. */
  readonly token: string;
  readonly #cli: TestCli;
  readonly #database: string | undefined;
  readonly #url: string;

  private constructor(
    cli: TestCli,
    database: string | undefined,
    token: string,
    running: { service: SpawnedProgram; url: string },
  ) {
    this.#cli = cli;
    this.#database = database;
    this.token = token;
    this.program = running.service;
    this.#url = running.url;
  }

  /** @param database the URL of a PostgreSQL database; by default the service has a SQLite file. */
  static async start(database?: string): Promise<PlantedService> {
    const cli = new TestCli(database, {
      HORARIUM_ADMIN_PASSWORD: secretFor('ADMIN'),
      HORARIUM_VAULT_KEY: plantedVaultKey,
      HORARIUM_LOG_LEVEL: 'trace',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ planted: { token: secretFor('PLUGIN') } }),
      HORARIUM_PLUGINS: [
        ...suffixes.map((suffix) => `format-${suffix}`),
        'executor-native',
        'executor-external',
        'event-source-changes-table',
        'import-app-definition',
        'import-crontab',
        'pings',
        './planted.mjs',
      ].join(),
    });
    writeFileSync(join(cli.folder, 'planted.mjs'), secretPluginSource());
    const running = await spawnService(cli);
    // The output is not recorded, because it has to contain the token.
    const { json } = await cli.command('token:generate --user admin --format json');
    return new PlantedService(cli, database, json.token as string, running);
  }

  get folder(): string {
    return this.#cli.folder;
  }

  /** Sends a request with the token: a GET, or a POST when there is a body. The path is under the base path unless it begins with `//`. */
  readonly request = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await this.#send(path, body, headers);
    const text = await response.text();
    const method = body === undefined ? 'GET' : 'POST';
    this.exposures.push([`${method} ${path}`, JSON.stringify([...response.headers]) + text]);
    return { status: response.status, text };
  };

  /** Creates a record. @returns its id. */
  readonly save = async (resource: string, fields: object): Promise<number> => {
    const { status, text } = await this.request(`/${resource}/`, fields);
    expect(status, text).to.equal(201);
    return JSON.parse(text).id;
  };

  /** Signs in, and returns the token. The response is not recorded, because it has to contain the token. */
  async signIn(login: string, password: string): Promise<string> {
    const response = await this.#send('/login.json', { login, password });
    return ((await response.json()) as { token: string }).token;
  }

  /** Runs a command on the store of the service. */
  async command(line: string, environment: Readonly<Record<string, string>> = {}): Promise<CliResult> {
    const result = await this.#cli.command(line, { environment });
    this.exposures.push([`horarium ${line}`, result.out + result.err]);
    return result;
  }

  /** Records all that the database stores: its files, or every row as text. */
  async recordDatabase(): Promise<void> {
    this.exposures.push(...(this.#database === undefined ? this.#files() : await rowsOf(this.#database)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.program.process.kill('SIGKILL');
    await this.program.ended;
    this.#cli[Symbol.dispose]();
  }

  #send(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const url = path.startsWith('//') ? new URL(path.slice(1), this.#url) : `${this.#url}${path}`;
    return checkedFetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  #files(): Exposure[] {
    const names = readdirSync(this.folder).filter((name) => name.startsWith('h.sqlite'));
    return names.map((name) => [name, readFileSync(join(this.folder, name))]);
  }
}

async function rowsOf(url: string): Promise<Exposure[]> {
  const tables = await administer(
    url,
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.length).to.be.above(20);
  const exposures = tables.map(async ({ table_name }): Promise<Exposure> => {
    const rows = await administer(url, `select t::text as row from "${table_name}" t`);
    return [String(table_name), rows.map(({ row }) => row).join('\n')];
  });
  return Promise.all(exposures);
}
