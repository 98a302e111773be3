import { HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import type { PluginProgram } from '../commands/plugin-commands.ts';
import type { buildProgram } from './all-commands.ts';
import { type Cli, openCommandSession } from './command-session.ts';
import type { Io } from './io.ts';
import { defaultWidth, pointToHelp } from './programs/empty-program.ts';
import { exitCodeOf } from './programs/exit-code-of.ts';
import { serviceProgram } from './programs/service-program.ts';

/**
 * Runs one command and returns its exit code: 0 for success, 1 for failure, 2 for a command line that cannot be parsed.
 */
export async function runCli(io: Io): Promise<number> {
  const cli: Cli = { io, open: (command) => openCommandSession(command, io) };
  return exitCodeOf(io, async (runs) => {
    const topic = await askedTopic(io.arguments);
    if (topic !== null) return io.out(topic);
    const program = await programFor(cli);
    if (listsAll(io.arguments)) await addOverview(program, io.width ?? defaultWidth);
    if (await answerKind(program, io)) return;
    await answerGuess(program, io.arguments);
    pointToHelp(program);
    program.hook('preAction', (_program, command) => runs(command));
    await program.parseAsync(rewriteHelp(program, io.arguments), { from: 'user' });
  });
}

/**
 * Builds the program with the commands that the command line needs. The commands of the service come alone, so that it
 * starts sooner and holds less. Plugins are loaded only for one of their commands, the records that they bring included, or for the list of all commands.
 */
async function programFor(cli: Cli): Promise<Command> {
  const all = listsAll(cli.io.arguments);
  const [name = '--help', ...rest] = cli.io.arguments;
  const commandName = name === 'help' ? rest[0] : name;
  const service = serviceProgram(cli);
  if (isKnown(service, commandName)) return service;
  const { buildProgram } = await import('./all-commands.ts');
  if (!all) {
    const program = buildProgram(cli);
    if (commandName?.startsWith('-') || isKnown(program, commandName)) return program;
  }
  try {
    const { loadPluginProgram } = await import('../commands/plugin-commands.ts');
    return buildWithPlugins(buildProgram, cli, await loadPluginProgram(cli.io));
  } catch (error) {
    if (!all || !(error instanceof HorariumError)) throw error;
    await cli.io.err(`${error.message}\n`);
    return buildProgram(cli);
  }
}

/** Builds the program with the commands of plugins. @throws HorariumError `conflict` where one has the name of a built-in command. */
function buildWithPlugins(build: typeof buildProgram, cli: Cli, plugins: PluginProgram): Command {
  try {
    return build(cli, plugins);
  } catch (error) {
    const builtIn = build(cli);
    const duplicate = plugins.commands.find(({ command }) => isKnown(builtIn, command.name));
    if (!duplicate) throw error;
    throw new HorariumError(
      'conflict',
      `The plugin ${duplicate.plugin} provides the command ${duplicate.command.name}, which is built in.`,
    );
  }
}

/** Whether a command line asks for the list of all commands. */
function listsAll([name = '--help', ...rest]: readonly string[]): boolean {
  return (
    name === '--help' ||
    name === '-h' ||
    (name === 'help' && (rest.length === 0 || rest[0] === '--help' || rest[0] === '-h'))
  );
}

/** Returns the page that `help TOPIC` asks for; null for other command lines and what is no topic. */
async function askedTopic([name, topic]: readonly string[]): Promise<string | null> {
  if (name !== 'help' || topic === undefined) return null;
  const { helpOnTopic } = await import('./handbook-help.ts');
  return helpOnTopic(topic);
}

async function topicsFor(words: string): Promise<string | null> {
  const { topicsAbout } = await import('./handbook-help.ts');
  return topicsAbout(words);
}

/** Lets the help of the program show what people scan: groups of commands, the kinds of records and the topics. */
async function addOverview(program: Command, width: number): Promise<void> {
  const [{ overview }, { listTopics }] = await Promise.all([
    import('./help/overview.ts'),
    import('./handbook-help.ts'),
  ]);
  program.configureHelp({ formatHelp: () => overview(program, width) });
  program.addHelpText('after', await listTopics(width));
}

/** Prints the commands of a kind and the topics about it for `help KIND`, and adds the commands to the help of a command of that name, such as `pause`. */
async function answerKind(program: Command, { arguments: [first, second, ...others], out }: Io): Promise<boolean> {
  const asked = first === 'help' ? second : second === '--help' || second === '-h' ? first : undefined;
  if (asked === undefined || others.length > 0) return false;
  const { helpOnKind } = await import('./help/kind-help.ts');
  const help = helpOnKind(program, asked);
  const command = program.commands.find((each) => each.name() === asked);
  if (help === null) return false;
  if (command) {
    command.addHelpText('after', `\n${help}`);
    return false;
  }
  const topics = await topicsFor(asked);
  await out(topics === null ? help : `${help}\n${topics}\n`);
  return true;
}

function isKnown({ commands }: Command, name: string | undefined): boolean {
  return commands.some((command) => command.name() === name);
}

/** Ends with what does what was meant, where the command is unknown and a word that people try. @throws CommanderError then. */
async function answerGuess(program: Command, words: readonly string[]): Promise<void> {
  const line = words[0] === 'help' ? words.slice(1) : words;
  const [name] = line;
  if (name === undefined || name.startsWith('-') || isKnown(program, name)) return;
  const { answerUnknown } = await import('./unknown/unknown-command.ts');
  const names = program.commands.map((command) => command.name());
  // A topic has no colon, as every command of a record has.
  const asksForHelp = words[0] === 'help' && !name.includes(':');
  const answers = [await answerUnknown(line, names), asksForHelp ? await topicsFor(line.join(' ')) : null];
  const what = asksForHelp ? `unknown topic or command '${line.join(' ')}'` : `unknown command '${name}'`;
  const given = answers.filter((answer) => answer !== null);
  if (given.length > 0) program.error(`error: ${what}\n${given.join('\n')}`);
}

/** Rewrites `help app:list` as `app:list --help`. Help on an unknown command fails like that command. */
function rewriteHelp(program: Command, words: readonly string[]): readonly string[] {
  const line = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  const [name] = line;
  return name === undefined || name.startsWith('-') || isKnown(program, name) ? line : [name];
}
