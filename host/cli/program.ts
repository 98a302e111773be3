import type { Command } from 'commander';
import { type Cli, openCommandSession } from './command-session.ts';
import { askedHelp } from './help/asked-help.ts';
import type { Io } from './io.ts';
import { defaultWidth, pointToHelp } from './programs/empty-program.ts';
import { exitCodeOf } from './programs/exit-code-of.ts';
import { isKnown, programFor } from './programs/program-for.ts';

/**
 * Runs one command and returns its exit code: 0 for success, 1 for failure, 2 for a command line that cannot be parsed.
 */
export async function runCli(io: Io): Promise<number> {
  const cli: Cli = { io, open: (command) => openCommandSession(command, io) };
  return exitCodeOf(io, async (runs) => {
    const topic = await askedTopic(io.arguments);
    if (topic !== null) return io.out(topic);
    const help = askedHelp(io.arguments);
    const [first, second] = io.arguments;
    const name = first === 'help' ? second : first;
    const { program, unloaded } = await programFor(cli, name, help);
    if (help === 'all') await addOverview(program, io.width ?? defaultWidth);
    if (unloaded !== null && help === null && isKnown(program, name))
      program.error(`error: unknown command '${name}'\n${unloaded}`);
    if (await answerKind(program, unloaded, io)) return;
    if (unloaded !== null) for (const command of program.commands) command.addHelpText('after', `\n${unloaded}`);
    await answerGuess(program, io.arguments);
    pointToHelp(program);
    program.hook('preAction', (_program, command) => runs(command));
    await program.parseAsync(rewriteHelp(program, io.arguments), { from: 'user' });
  });
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
async function answerKind(
  program: Command,
  unloaded: string | null,
  { arguments: [first, second, ...others], out }: Io,
): Promise<boolean> {
  const asked = first === 'help' ? second : second === '--help' || second === '-h' ? first : undefined;
  if (asked === undefined || others.length > 0) return false;
  const { helpOnKind } = await import('./help/kind-help.ts');
  const help = helpOnKind(program, asked);
  const command = program.commands.find((each) => each.name() === asked);
  if (help === null) return false;
  if (command) {
    command.addHelpText('after', `\n${help.trimEnd()}`);
    return false;
  }
  const topics = await topicsFor(asked);
  const notes = [unloaded, topics].filter((part) => part !== null);
  await out([help, ...notes.map((note) => `${note}\n`)].join('\n'));
  return true;
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
