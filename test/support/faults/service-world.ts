import { randomUUID } from 'node:crypto';
import { allTables, type Store } from '@horarium/core';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { systemClock } from '../../../adapters/node/system-clock.ts';
import { NodeVault } from '../../../adapters/node/vault.ts';
import { processesWith } from '../program/processes.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { TestCli } from '../program/test-cli.ts';
import { dropDatabase, makeDatabase } from '../store/test-postgres.ts';

export type Kind = 'sqlite' | 'postgresql';

/** Fields of a template besides its name, app and company. */
type Template = Readonly<Record<string, string | number | boolean>>;

/** A store with an administrator and a company, and the processes that serve it, for tests that kill and starve them. */
export class ServiceWorld implements AsyncDisposable {
  readonly cli: TestCli;
  readonly kind: Kind;
  /** The code of its company, unique to this world: its jobs carry it in their environment. */
  readonly company = `acme-${randomUUID()}`;
  readonly #services: SpawnedProgram[] = [];
  #store: Store | undefined;

  private constructor(kind: Kind, cli: TestCli) {
    this.kind = kind;
    this.cli = cli;
  }

  /**
   * @param settings as environment variables, `HORARIUM_…`.
   * @param server a PostgreSQL server other than that of the test run.
   */
  static async make(
    kind: Kind,
    settings: Readonly<Record<string, string>> = {},
    server?: string,
  ): Promise<ServiceWorld> {
    const database = kind === 'sqlite' ? undefined : await makeDatabase(server ? { server } : {});
    const world = new ServiceWorld(kind, new TestCli(database, settings));
    const { code, err } = await world.cli.command('migrate');
    if (code !== 0) throw new Error(err);
    await world.do('company:save', '--code', world.company, '--name', 'Acme');
    return world;
  }

  /** Runs a command in this process and returns its JSON. @throws Error when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
  async do(name: string, ...line: readonly string[]): Promise<any> {
    const ran = await this.cli.run([name, ...line, '--format', 'json']);
    if (ran.code !== 0) throw new Error(`horarium ${name} ended with ${ran.code}: ${ran.err}`);
    return ran.json;
  }

  /** Adds a template whose jobs run in a shell. @returns its id. */
  async addTemplate(name: string, shell: readonly string[], template: Template): Promise<number> {
    const words = shell.flatMap((word) => ['--arguments', word]);
    const app = await this.do('app:save', '--name', name, '--executable', '/bin/sh', ...words);
    const fields = Object.entries(template).flatMap(([field, value]) => ['--set', `${field}=${value}`]);
    const of = ['--name', name, '--company-id', '1', '--app-id', String(app.id)];
    return (await this.do('runtemplate:save', ...of, ...fields)).id;
  }

  /** Adds a template with one window a day, which begins in a moment; its jobs run the script. */
  async addDaily(name: string, script: string, template: Template = {}): Promise<number> {
    const tomorrow = { interval: 'custom', cron: cronAt(Date.now() - 60_000), timezone: 'UTC' };
    const id = await this.addTemplate(name, ['-c', script], { ...tomorrow, ...template });
    // On a busy machine the moment may have passed before it is stored: its window would begin tomorrow.
    for (let ahead = 2000; ; ahead *= 2) {
      const cron = cronAt(Date.now() + ahead);
      const { next_scheduled_at: next } = await this.do('runtemplate:save', '--id', String(id), '--cron', cron);
      if (Date.parse(next) < Date.now() + 2 * ahead) return id;
    }
  }

  /** The jobs of a template, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async jobs(template: number): Promise<any[]> {
    return this.do('job:list', '--runtemplate-id', String(template), '--order', 'id', '--limit', '1000');
  }

  /** The tasks of a template, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async tasks(template: number): Promise<any[]> {
    return this.do('task:list', '--runtemplate-id', String(template), '--order', 'id', '--limit', '1000');
  }

  /** Counts the living processes of its jobs, or of one template's jobs. */
  living(template?: number): number {
    const all = processesWith(`HORARIUM_COMPANY_CODE=${this.company}\0`);
    if (template === undefined) return all.length;
    const own = new Set(processesWith(`HORARIUM_RUNTEMPLATE_ID=${template}\0`));
    return all.filter((pid) => own.has(pid)).length;
  }

  /** Starts a process that serves the store on any free port. */
  serve(...more: readonly string[]): SpawnedProgram {
    const service = new SpawnedProgram(['serve', '--port', '0', '--workers', '8', ...more], this.cli);
    this.#services.push(service);
    return service;
  }

  /** Starts a process that serves the store, and waits until it responds. @returns its URL. */
  async served(...more: readonly string[]): Promise<{ service: SpawnedProgram; url: string }> {
    const service = this.serve(...more);
    const [, url] = await service.says(/^listening on (\S+)$/m);
    return { service, url: url as string };
  }

  /** Opens the store itself, to read it. */
  async store(): Promise<Store> {
    const url = this.cli.environment['HORARIUM_DATABASE_URL'] as string;
    this.#store ??= (await openStore({ url, tables: allTables, clock: systemClock })).store;
    return this.#store;
  }

  /** The digests that the service seals its audit log with. */
  get auditKey() {
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

/** Writes the cron expression of a second, every day in UTC. */
function cronAt(time: number): string {
  const at = new Date(time);
  return `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
}
