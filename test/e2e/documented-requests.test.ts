import { expect } from 'chai';
import { parse as parseCsv } from 'csv-parse/sync';
import { missingPrograms, PageRunner, prepareFolder } from '../support/docs/page-runner.ts';
import { readHtml } from '../support/formats/read-html.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { DocumentedCommands, hasCurl } from '../support/program/documented-commands.ts';
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

describe('The page on first requests', () => {
  it('leads from the sign-in up to a job, its output and its audit log', async function () {
    if (missingPrograms(['curl', 'jq']).length > 0) this.skip();
    using prepared = await prepareFolder();
    await using runner = await PageRunner.start(prepared);
    const [output, job, log, logout] = (await runner.runPage('api/first-requests')).slice(-4);
    expect(output)
      .to.include('"text":"hello\\n"')
      .and.match(/event: end\ndata: \{\}\n\n$/);
    expect(job).to.match(/^state: succeeded$/m);
    const [entry] = parseCsv(log as string, { columns: true });
    expect(entry).to.include({ actor: 'admin', action: 'create', entity_type: 'RunTemplate', channel: 'http' });
    expect(logout).to.equal('');
  });
});
