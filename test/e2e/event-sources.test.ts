import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { sourceRoot } from '../house/source-files.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { commandsIn, DocumentedCommands, hasCurl } from '../support/program/documented-commands.ts';
import { type SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { hasOpenssl } from '../support/secrets/certificate.ts';

const columns =
  'recordid text, evidence text, operation text, externalids text, created text, source text, target text';

describe('The documented event sources', () => {
  let cli: TestCli;
  let environment: Readonly<Record<string, string>>;
  let service: SpawnedProgram;
  let url: string;
  let changes: Database.Database;

  before(async function () {
    if (!hasCurl() || !hasOpenssl()) this.skip();
    cli = new TestCli();
    const options = { 'event-source-changes-table': { sqlite_folders: [cli.folder] } };
    environment = { ...cli.environment, HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options) };
    changes = new Database(join(cli.folder, 'shop.sqlite'));
    changes.exec(`create table changes_cache (inversion integer primary key, ${columns})`);
    ({ service, url } = await spawnService({ folder: cli.folder, environment }));
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    shell = new DocumentedCommands({
      password: '',
      substitute: (command) =>
        command
          .replace(/^horarium /, "printf '%s\\0' ")
          .replace('/srv/webhooks', cli.folder)
          .replace(/^SECRET=.*/, `SECRET=${secret}`)
          .replace('http://127.0.0.1:8080', new URL(url).origin),
    });
  });
  after(async () => {
    service?.process.kill('SIGTERM');
    await service?.ended;
    changes?.close();
    cli?.[Symbol.dispose]();
  });
  let shell: DocumentedCommands;

  /** Runs a command as it is printed; the shell splits those of horarium, which run in this process. @returns the output. */
  async function run(command: string): Promise<string> {
    const out = await shell.run(command);
    if (!command.startsWith('horarium ')) return out;
    const result = await cli.run(out.split('\0').slice(0, -1), { environment });
    expect([command, result.code], result.err).to.deep.equal([command, 0]);
    return result.out;
  }

  /** The output of the jobs that have succeeded, by id. */
  async function outputs(): Promise<string[]> {
    const { json } = await cli.command('job:list --state succeeded --order id --format json');
    return Promise.all((json as { id: number }[]).map(async ({ id }) => (await cli.command(`job:output ${id}`)).out));
  }

  it('work as printed in the README, for a table and for a webhook', async () => {
    const readme = readFileSync(join(sourceRoot, 'README.md'), 'utf8');
    const commands = commandsIn(readme, 'Event sources');
    expect(commands).to.have.length(14);
    const printed: string[] = [];
    for (const command of commands) printed.push((await run(command)).trim());
    expect(printed[4]).to.include('Its events can be read.');
    const [shown] = /^ {4}\{"event_id":\d+\}$/m.exec(readme) ?? [];
    expect(printed.at(-1)).to.equal(shown?.trim());
    await eventually(
      'the webhook has started a job',
      async () => (await outputs()).join('') === 'invoice for o-1002\n',
    );
    // Again, perhaps in another second.
    expect((await run(commands.at(-1) as string)).trim()).to.equal(printed.at(-1));
    changes.exec("insert into changes_cache (recordid, evidence, operation) values ('o-1001', 'order', 'create')");
    await eventually('the row has started a job', async () => (await outputs()).at(-1) === 'invoice for o-1001\n');
    expect(await outputs()).to.have.length(2);
    expect(service.problems).not.to.match(/"level":(?:50|60)/);
  });
});
