import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { flagOf, variableOf } from '../../host/config/setting.ts';
import { settings } from '../../host/config/settings.ts';
import { sourceRoot } from '../house/source-files.ts';
import { helpProgram } from '../support/docs/help-program.ts';
import { bold, item, literal, paragraph, plain } from '../support/packages/roff.ts';

/** The mandoc of the machine, which `.ci/run` installs; the tests are skipped without it. */
const mandoc = process.env['HORARIUM_TEST_MANDOC'];
const page = join(sourceRoot, 'dist/man/horarium.1');

describe('The manual page', () => {
  let shown: string;
  let program: Command;
  before(async function () {
    if (!mandoc) return this.skip();
    program = await helpProgram();
    shown = show([page]);
  });

  it('has no complaint of mandoc but that it has no date', () => {
    const { stdout, stderr } = spawnSync(mandoc as string, ['-Tlint', '-Wwarning', page], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).to.match(/^.*: WARNING: missing date, using "": TH\n$/);
  });

  it('shows each command with its arguments and what it does', () => {
    const help = program.createHelp();
    const missing = commandsOf(program).filter((command) => {
      const start = shown.indexOf(`\n       ${help.subcommandTerm(command)}`);
      return start < 0 || !oneLine(shown.slice(start, start + 1000)).includes(oneLine(command.description()));
    });
    expect(missing.map((command) => command.name())).to.deep.equal([]);
    expect(commandsOf(program).length).to.be.above(100);
  });

  it('shows each option of a command below it, or among those of most commands or the settings', () => {
    const parts = shown.split(/\n(?= {0,7}\S)/);
    const partOf = (title: string) => parts.find((part) => part.trimStart().startsWith(title)) ?? '';
    const settingFlags = settings.map(({ name }) => flagOf(name));
    const missing = commandsOf(program).flatMap((command) => {
      const help = command.createHelp();
      const own = oneLine(partOf(`${help.subcommandTerm(command)}`));
      return help
        .visibleOptions(command)
        .filter(({ flags, long = '' }) => {
          const isShared = parts.includes(partOf(flags)) && partOf(flags) !== '';
          return !own.includes(flags) && !isShared && !settingFlags.includes(long);
        })
        .map(({ flags }) => `${command.name()} ${flags}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('shows each setting by its variable', () => {
    const missing = settings.filter(({ name }) => !shown.includes(`\n       ${variableOf(name)}`));
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
  });

  it('shows texts as they are that roff or a terminal takes for something else', () => {
    const texts = [
      '.TH begins with a dot',
      "'br begins with a quote",
      'it takes --as <login>, "quotes", \\fB, \\n, `~^`',
      'ends in … or –',
    ];
    const roff = [
      '.TH X 1',
      ...texts.flatMap((text) => [paragraph(plain(text)), item(bold(text), plain(text))]),
      literal(`${texts.join('\n')}\n  indented`),
    ];
    const lines = show([], roff.join('\n'))
      .split('\n')
      .map((line) => line.trim());
    for (const text of texts) expect(lines.filter((line) => line === text)).to.have.length(4);
  });
});

/** The commands that `--help` lists. */
function commandsOf(program: Command): readonly Command[] {
  return program.createHelp().visibleCommands(program);
}

/** What a wide terminal shows. */
function show(files: readonly string[], input = ''): string {
  const line = ['-Tutf8', '-Owidth=1000', ...files];
  const { stdout } = spawnSync(mandoc as string, line, { encoding: 'utf8', input, maxBuffer: 2 ** 26 });
  // A character that is struck twice is bold, and one above a line is italic.
  return stdout.replaceAll(/.[\b]/gu, '');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
