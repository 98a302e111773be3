import { expect } from 'chai';
import { buildProgram } from '../../../host/cli/all-commands.ts';
import type { Io } from '../../../host/cli/io.ts';
import { guesses, nouns, verbs } from '../../../host/cli/unknown/guesses.ts';
import { loadPluginProgram } from '../../../host/commands/plugin-commands.ts';
import { readHandbook } from '../../../plugins/docs/pages/handbook.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('An unknown command', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  async function program() {
    const machine = { cores: 1, timezone: 'UTC', terminal: false };
    const io = { arguments: [], environment: {}, folder: cli.folder, machine } as unknown as Io;
    return buildProgram({ io, open: () => Promise.reject(new Error('no store')) }, await loadPluginProgram(io));
  }

  it('is answered with the command that does what was meant', async () => {
    const answers: [line: string, answer: RegExp][] = [
      ['run 1', /"horarium runtemplate:run ID" runs a template once\./],
      ['logs 1', /"horarium job:output ID" prints what a job wrote/],
      ['job:logs 1', /"horarium job:output ID"/],
      ['job:retry 1', /"horarium task:retry ID" repeats a Task that has ended, and "horarium runtemplate:run ID"/],
      ['job retry 1', /"horarium task:retry ID" repeats a Task/],
      ['disable', /"horarium runtemplate:save --id ID --active false" switches a template off/],
      ['suspend', /"horarium pause --for 2h --template ID" lets no job of a template start/],
      ['report', /"horarium summary" says whether everything is on time/],
      ['help run', /"horarium runtemplate:run ID"/],
      ['help webhook', /These topics of the handbook are about it .*\n(?: {2}\S+ .*\n)* {2}webhooks-out /],
      ['help webhook', /\n {2}webhooks-in /],
      ['help own transaction', /\n {2}transactions /],
      ['help tokens', /\n {2}access /],
      ['dump', /"horarium backup FILE" copies the store of a running service/],
      ['monitoring', /"horarium help monitoring" shows the page of the handbook on it\./],
      ['company:create', /\(Did you mean company:save\?\)/],
      ['app list', /\(Did you mean app:list\?\)/],
      ['companies', /\(Did you mean company:list\?\)/],
      ['templates:show 1', /\(Did you mean runtemplate:get\?\)/],
    ];
    for (const [line, answer] of answers) {
      const { code, out, err } = await cli.command(line);
      expect([line, code, out]).to.deep.equal([line, 2, '']);
      expect(err)
        .to.match(/^error: unknown (?:topic or )?command '[a-z: ]+'\n/)
        .and.match(answer);
    }
  });

  it('has an answer that names only commands, options and topics that exist', async () => {
    const all = await program();
    const topics = (await readHandbook()).pages.map(({ topic }) => topic);
    const named = [...guesses.values()].flatMap((answer) => [...answer.matchAll(/"horarium ([^"]+)"/g)]);
    expect(named.length).to.be.above(100);
    for (const [, line = ''] of named) {
      const [name = '', ...words] = line.split(' ');
      if (name === 'help') expect(words.length === 0 || topics.includes(words[0] as string), line).to.equal(true);
      const command = all.commands.find((each) => each.name() === name);
      expect(command !== undefined || name === 'help' || name === '--version', line).to.equal(true);
      const flags = command?.options.map(({ long }) => long);
      for (const word of words.filter((each) => each.startsWith('--'))) expect(flags, line).to.include(word);
    }
  });

  it('is no command and no topic', async () => {
    const names = (await program()).commands.map((command) => command.name());
    const topics = (await readHandbook()).pages.map(({ topic }) => topic);
    expect([...guesses.keys()].filter((word) => names.includes(word) || topics.includes(word))).to.deep.equal([]);
    expect(names).to.include.members(Object.values(nouns).map((noun) => `${noun}:list`));
    expect(names).to.include.members(Object.keys(verbs).map((verb) => `company:${verb}`));
  });
});
