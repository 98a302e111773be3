import { randomUUID } from 'node:crypto';
import { allTables, type Store, systemClock } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import Database from 'better-sqlite3';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { processesWith } from '../program/processes.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { TestCli } from '../program/test-cli.ts';
import { administer, createDatabase, dropDatabase } from '../store/test-postgres.ts';

export type StoreKind = 'sqlite' | 'postgresql';

/** Fields of a template other than name, app and company. */
type TemplateFields = Readonly<Record<string, string | number | boolean>>;

/** A store with an administrator and a company, and the service processes on it, which tests may kill or suspend. */
export class ServiceWorld implements AsyncDisposable {
  readonly cli: TestCli;
  readonly kind: StoreKind;
  /** The unique code of its company, which its jobs carry in their environment. */
  readonly company = `acme-${randomUUID()}`;
  readonly #services: SpawnedProgram[] = [];
  readonly #program: { readonly program?: string };
  #store: Store | undefined;

  private constructor(kind: StoreKind, cli: TestCli, program: { readonly program?: string }) {
    this.kind = kind;
    this.cli = cli;
    this.#program = program;
  }

  /**
   * Creates the world, without a service process.
   * @param settings environment variables `HORARIUM_…`.
   * @param server the URL of a PostgreSQL server, if not that of the test run.
   * @param program the file of the program that the services run, if not the built one.
   */
  static async create(
    kind: StoreKind,
    settings: Readonly<Record<string, string>> = {},
    { server, program }: { readonly server?: string; readonly program?: string } = {},
  ): Promise<ServiceWorld> {
    const database = kind === 'sqlite' ? undefined : await createDatabase(server ? { server } : {});
    const world = new ServiceWorld(kind, new TestCli(database, settings), program ? { program } : {});
    const { code, err } = await world.cli.command('migrate');
    if (code !== 0) throw new Error(err);
    await world.run('company:save', '--code', world.company, '--name', 'Acme');
    return world;
  }

  /** Runs a command in this process and returns its JSON. @throws Error when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a command may have any shape.
  async run(name: string, ...line: readonly string[]): Promise<any> {
    const result = await this.cli.run([name, ...line, '--format', 'json']);
    if (result.code !== 0) throw new Error(`horarium ${name} failed with exit code ${result.code}: ${result.err}`);
    return result.json;
  }

  /**
   * Adds a template whose jobs run in a shell.
   * @param more further words of the command that adds their App.
   * @returns its id.
   */
  async addTemplate(
    name: string,
    shell: readonly string[],
    fields: TemplateFields,
    ...more: readonly string[]
  ): Promise<number> {
    const words = shell.flatMap((word) => ['--arguments', word]);
    const app = await this.run('app:save', '--name', name, '--executable', '/bin/sh', ...words, ...more);
    const options = Object.entries(fields).flatMap(([field, value]) => ['--set', `${field}=${value}`]);
    const identity = ['--name', name, '--company-id', '1', '--app-id', String(app.id)];
    return (await this.run('runtemplate:save', ...identity, ...options)).id;
  }

  /** Adds a template with one window a day, which begins within seconds; its jobs run the script in a shell. */
  async addDailyTemplate(name: string, script: string, fields: TemplateFields = {}): Promise<number> {
    const tomorrow = { interval: 'custom', cron: cronAt(Date.now() - 60_000), timezone: 'UTC' };
    const id = await this.addTemplate(name, ['-c', script], { ...tomorrow, ...fields });
    // On a busy machine that time may pass before it is stored: then the next window begins tomorrow, and a later time is tried.
    for (let ahead = 2000; ; ahead *= 2) {
      const cron = cronAt(Date.now() + ahead);
      const { next_scheduled_at: next } = await this.run('runtemplate:save', '--id', String(id), '--cron', cron);
      if (Date.parse(next) < Date.now() + 2 * ahead) return id;
    }
  }

  /** The jobs of a template, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async jobs(template: number): Promise<any[]> {
    return this.run('job:list', '--runtemplate-id', String(template), '--order', 'id', '--limit', '1000');
  }

  /** The tasks of a template, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async tasks(template: number): Promise<any[]> {
    return this.run('task:list', '--runtemplate-id', String(template), '--order', 'id', '--limit', '1000');
  }

  /** Counts the running processes of its jobs, or of the jobs of one template. */
  countJobProcesses(template?: number): number {
    const pids = processesWith(`HORARIUM_COMPANY_CODE=${this.company}\0`);
    if (template === undefined) return pids.length;
    const templatePids = new Set(processesWith(`HORARIUM_RUNTEMPLATE_ID=${template}\0`));
    return pids.filter((pid) => templatePids.has(pid)).length;
  }

  /** Starts a service process on a free port, without waiting until it listens. */
  spawnService(...more: readonly string[]): SpawnedProgram {
    const service = new SpawnedProgram(['serve', '--port', '0', '--workers', '8', ...more], this.cli, this.#program);
    this.#services.push(service);
    return service;
  }

  /** Starts a service process and waits until it listens. */
  async startService(...more: readonly string[]): Promise<{ service: SpawnedProgram; url: string }> {
    const service = this.spawnService(...more);
    const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
    return { service, url: url as string };
  }

  /** The complete lines of the logs of its services. */
  get log(): Record<string, unknown>[] {
    return this.#services.flatMap(({ log }) => log);
  }

  /** Opens the store, so that a test can read rows that no command shows. */
  async openStore(): Promise<Store> {
    const url = this.cli.environment['HORARIUM_DATABASE_URL'] as string;
    this.#store ??= await openStore({ url, tables: allTables, clock: systemClock });
    return this.#store;
  }

  /** Runs SQL statements past the service, as somebody who may do anything to its tables. @returns the rows of a `select`. */
  async execute(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const url = this.cli.environment['HORARIUM_DATABASE_URL'] as string;
    if (this.kind === 'postgresql') return administer(url, sql);
    const database = new Database(url.replace('sqlite:', ''), { timeout: 10_000 });
    try {
      if (sql.startsWith('select')) return database.prepare(sql).all() as Record<string, unknown>[];
      database.exec(sql);
      return [];
    } finally {
      database.close();
    }
  }

  /** The HMAC that seals the audit log of the world. */
  get auditHmac() {
    const vault = new NodeVault(this.cli.environment['HORARIUM_VAULT_KEY'] as string);
    return vault.hmac(vault.signingKey('audit'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#services) {
      process.kill('SIGCONT');
      process.kill('SIGKILL');
    }
    await Promise.all(this.#services.map(({ ended }) => ended));
    await this.#store?.close();
    if (this.kind === 'postgresql') await dropDatabase(this.cli.environment['HORARIUM_DATABASE_URL'] as string);
    this.cli[Symbol.dispose]();
  }
}

/** Returns the cron expression that fires every day in UTC date the second of an instant. */
function cronAt(instant: number): string {
  const date = new Date(instant);
  return `${date.getUTCSeconds()} ${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
}
