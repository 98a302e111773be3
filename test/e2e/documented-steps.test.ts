import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse as parseCsv } from 'csv-parse/sync';
import { sourceRoot } from '../house/source-files.ts';
import { readHtml } from '../support/formats/read-html.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { commandsIn, DocumentedCommands, hasCurl } from '../support/program/documented-commands.ts';
import { type SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';

const password = 'correct horse battery';

describe('The documented first steps with curl', () => {
  let cli: TestCli;
  let service: SpawnedProgram;
  let url: string;

  beforeEach(async function () {
    if (!hasCurl()) this.skip();
    cli = new TestCli();
    ({ service, url } = await spawnService(cli));
  });
  afterEach(async () => {
    service?.process.kill('SIGTERM');
    await service?.ended;
    cli?.[Symbol.dispose]();
  });

  /** Runs commands as they are printed, with the address, the token and the password filled in. */
  async function run(commands: readonly string[]): Promise<DocumentedCommands> {
    const shell: DocumentedCommands = new DocumentedCommands({
      password,
      substitute: (command) =>
        command
          .replace(/http:\/\/(?:127\.0\.0\.1|localhost):8080\/api\/v1/, url)
          .replace('the password that the first start printed', password)
          .replace('hor_…', () => JSON.parse(shell.outputs[0] as string).access_token),
    });
    for (const command of commands) await shell.run(command);
    return shell;
  }

  it('work as printed in the README, up to a job, its output and its audit log', async () => {
    const commands = commandsIn(readFileSync(join(sourceRoot, 'README.md'), 'utf8'), 'The HTTP API');
    expect(commands.filter((command) => command.startsWith('curl '))).to.have.length.above(7);
    const { outputs } = await run(commands);
    const [, company, app, template, job, output, ended, log, logout] = outputs;
    expect(JSON.parse(company as string)).to.include({ id: 1, code: 'acme' });
    expect(JSON.parse(app as string)).to.include({ id: 1, executable: 'echo' });
    expect(JSON.parse(template as string)).to.include({ id: 1, app_id: 1, company_id: 1 });
    expect(JSON.parse(job as string)).to.include({ id: 1, trigger: 'adhoc' });
    expect(output)
      .to.include('"text":"hello\\n"')
      .and.match(/event: end\ndata: \{\}\n\n$/);
    expect(ended).to.match(/^state: succeeded$/m);
    const [entry] = parseCsv(log as string, { columns: true });
    expect(entry).to.include({
      actor: 'admin',
      action: 'create',
      entity_type: 'RunTemplate',
      entity_id: '1',
      channel: 'http',
    });
    expect(logout).to.equal('');
  });

  it('work as printed on /docs/api, up to a job, its output and its audit log', async () => {
    const page = await (await checkedFetch(new URL('/docs/api', url))).text();
    const [, steps = ''] = page.split('id="first-steps"');
    const blocks = readHtml(steps.split('<h2')[0] as string)
      .all('code')
      .map(({ text }) => text);
    const commands = blocks.filter((text) => /^(?:curl |HORARIUM=)/.test(text));
    expect(commands).to.have.length(10);
    commands.splice(2, 0, 'TOKEN=hor_…');
    const { outputs } = await run(commands);
    const [, , , , , output, job, windows, log] = outputs;
    expect(output).to.include('"text":"Good morning, Prague\\n"');
    expect(JSON.parse(job as string)).to.include({ state: 'succeeded', exit_code: 0 });
    expect(JSON.parse(windows as string)).to.have.length(3);
    expect(JSON.parse(log as string)[0]).to.include({ action: 'create', actor: 'admin', entity_type: 'RunTemplate' });
  });
});
