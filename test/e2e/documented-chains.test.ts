import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { splitWords } from '#core/app/split-words';
import { sourceRoot } from '../house/source-files.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { commandsIn } from '../support/program/documented-commands.ts';
import { type SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';

describe('The chapter "Chain and react" of the README', () => {
  const commands = commandsIn(readFileSync(join(sourceRoot, 'README.md'), 'utf8'), 'Chain and react');
  let cli: TestCli;
  let service: SpawnedProgram;

  before(async () => {
    cli = new TestCli();
    ({ service } = await spawnService(cli));
  });
  after(async () => {
    service?.process.kill('SIGTERM');
    await service?.ended;
    cli?.[Symbol.dispose]();
  });

  /** Runs the commands up to one that begins like that, and that one. @returns what it printed. */
  async function runUpTo(beginning: string): Promise<string> {
    for (;;) {
      const command = commands.shift();
      if (command === undefined) throw new Error(`The chapter has no further command ${beginning}.`);
      const [program, ...words] = splitWords(command.replaceAll('\\\n', ' '), 100);
      expect(program).to.equal('horarium');
      const { code, out, err } = await cli.run(words);
      expect([command, code, code === 0 ? '' : err]).to.deep.equal([command, 0, '']);
      if (command.startsWith(`horarium ${beginning}`)) return out;
    }
  }
  const succeeded = (job: number) =>
    eventually(`the end of job ${job}`, async () => {
      const got = await cli.command(`job:get ${job} --format json`);
      return got.code === 0 && got.json.state === 'succeeded' && got.json;
    });

  it('chains a check to a backup, and hands its file and its result over', async () => {
    await runUpTo('runtemplate:run 1');
    const job = await succeeded(2);
    expect([job.trigger, job.event_id]).to.deep.equal(['chain', 1]);
    expect(await runUpTo('job:output 2')).to.equal('1 table\norders\n');
    expect(await runUpTo('event:get 1')).to.match(/succeeded/);
    expect(commands).to.deep.equal([]);
  });
});
