import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command, Help, Option } from 'commander';
import { exitCodeMeanings } from '../../../host/cli/failure.ts';
import { flagOf, type Setting, variableOf } from '../../../host/config/setting.ts';
import { settings } from '../../../host/config/settings.ts';
import { settingHelp } from '../../../host/config/settings-table.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { helpProgram } from '../docs/help-program.ts';
import { bold, italic, item, literal, paragraph, plain, section, subsection } from './roff.ts';

/** The options of nearly every command, which the page explains once. */
const commonOptions = ['--help', '--format', '--as', '--config', '--database-url'];

/** What the command reads and writes unless a setting says otherwise. */
const files = {
  '/etc/horarium/horarium.yaml':
    'The settings, which commands read where neither --config nor HORARIUM_CONFIG names a file.',
  'var/horarium.sqlite': 'The store, below the working directory.',
  'var/vault.key': 'The key that secrets in the store are encrypted with. Back it up apart from the store.',
};

/** Writes the manual page of the command, `dist/man/horarium.1`, for `npm install --global` and `man horarium`. */
export async function writeManualPage(): Promise<void> {
  const folder = join(sourceRoot, 'dist/man');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'horarium.1'), await manualPage());
}

/** The manual page in roff: what `--help` says of each command. It is the same whatever machine writes it, and whenever. */
async function manualPage(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(sourceRoot, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly description: string;
  };
  const program = await helpProgram();
  const sentence = manifest.description.replace(/^A/, 'a').replace(/\.$/, '');
  const commands = program.createHelp().visibleCommands(program);
  const groups = Map.groupBy(commands, (command) => command.helpGroup()?.replace(/:$/, '') ?? '');
  const parts = [
    // No date: a page that is written again stays as it was.
    `.TH HORARIUM 1 "" "Horarium ${manifest.version}" "Horarium"`,
    section('Name', `horarium \\- ${plain(sentence)}`),
    section('Synopsis', synopsis()),
    section('Description', description()),
    section('Commands', ...[...groups].map(([group, commands]) => subsection(group, ...commands.map(commandItem)))),
    section('Options of most commands', ...commonItems(program)),
    section('Environment', ...environment()),
    section('Exit status', ...Object.entries(exitCodeMeanings).map(([code, text]) => item(bold(code), plain(text)))),
    section('Files', ...Object.entries(files).map(([path, text]) => item(italic(path), plain(text)))),
    section('See also', `${bold('crontab')}(5), ${bold('systemd.timer')}(5), ${bold('horarium help handbook')}`),
  ];
  return `${parts.join('\n')}\n`;
}

function synopsis(): string {
  const forms = [
    `${italic('COMMAND')} [${italic('options')}] [${italic('arguments')}]`,
    `${italic('COMMAND')} ${bold('--help')}`,
    `${bold('help')} [${italic('TOPIC')}]`,
    bold('--version'),
  ];
  return forms.map((form) => `${bold('horarium')} ${form}`).join('\n.br\n');
}

function description(): string {
  const texts = [
    'Horarium schedules and runs jobs. It keeps what was owed as Tasks, one for each window of a schedule, and says whether each was done in time.',
    'The service is started by horarium serve, and listens on http://127.0.0.1:8080 unless a setting says otherwise. All other commands work on the store itself: they need the settings of the service, but not a running one.',
    'horarium help TOPIC prints a page of the handbook, and horarium help handbook the list of its pages.',
  ];
  return texts.map(plain).join('\n.PP\n');
}

/** A command with its arguments and options. */
function commandItem(command: Command): string {
  const help = command.createHelp();
  const arguments_ = help
    .visibleArguments(command)
    .map((argument) => item(italic(help.argumentTerm(argument)), plain(help.argumentDescription(argument))));
  return item(
    termText(help.subcommandTerm(command)),
    plain(command.description()),
    ...arguments_,
    ...optionItems(command, help),
    ...notes(command),
  );
}

/** The options that are explained nowhere else. Those of records are named alone: they are the fields of the record. */
function optionItems(command: Command, help: Help): string[] {
  const common = commonItems(command.parent as Command);
  const options = help
    .visibleOptions(command)
    .filter((option) => !option.helpGroupHeading && !common.includes(optionItem(option, help)));
  if (command.helpGroup() !== 'Records:') return options.map((option) => optionItem(option, help));
  return options.length === 0 ? [] : [paragraph(options.map(({ flags }) => termText(flags)).join(', '))];
}

function optionItem(option: Option, help: Help): string {
  return item(termText(option.flags), plain(help.optionDescription(option)));
}

/** Writes `-h, --help <value>`: in bold what is typed as it stands. */
function termText(term: string): string {
  return term
    .split(/(<[^>]+>|\[[^\]]+\])/)
    .filter((part) => part.trim())
    .map((part) => (/^[<[]/.test(part) ? italic(part) : bold(part)))
    .join(' ');
}

/** What `--help` says below the options: sentences, and examples, which are indented. */
function notes(command: Command): string[] {
  let shown = '';
  const writeOut = (text: string) => {
    shown += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  const below = shown.slice(command.helpInformation().length);
  return [...below.matchAll(/(?:^ .*\n?)+|(?:^\S.*\n?)+/gm)].map(([block]) =>
    block.startsWith(' ') ? literal(block.trimEnd()) : paragraph(plain(block)),
  );
}

function commonItems(program: Command): string[] {
  const status = program.commands.find((command) => command.name() === 'status') as Command;
  const help = status.createHelp();
  return help
    .visibleOptions(status)
    .filter(({ long }) => commonOptions.includes(long ?? ''))
    .map((option) => optionItem(option, help));
}

function environment(): string[] {
  const opening =
    'A setting is read from the command line, else from its variable, else from the settings file, where HORARIUM_PORT is named port. serve and config have an option for each that is no secret, other commands for those that they need.';
  const config = item(bold(variableOf('config')), plain('The settings file, as --config names it.'));
  return [plain(opening), config, ...settings.map(settingItem)];
}

function settingItem(setting: Setting): string {
  const option = setting.secret === 'whole' ? [] : [bold(flagOf(setting.name))];
  return item([bold(variableOf(setting.name)), ...option].join(', '), plain(settingHelp(setting)));
}
