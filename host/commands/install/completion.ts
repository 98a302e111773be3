import { Argument, type Command } from 'commander';
import type { Candidate } from '../../cli/completion/complete.ts';
import { type Shell, shells } from '../../cli/completion/scripts.ts';
import type { Io } from '../../cli/io.ts';
import { findConfigFile, readConfigFile } from '../../config/config-file.ts';
import { readConfig } from '../../config/read-config.ts';
import { loadPluginsOf, type PluginProgram } from '../plugin-commands.ts';

const installing = `
Examples:
  bash: horarium completion bash > ~/.local/share/bash-completion/completions/horarium
        (for all users: /etc/bash_completion.d/horarium; without the package bash-completion,
        add to ~/.bashrc: source <(horarium completion bash))
  zsh:  horarium completion zsh > ~/.zfunc/_horarium
        (any folder of fpath, before compinit in ~/.zshrc: fpath+=~/.zfunc)
  fish: horarium completion fish > ~/.config/fish/completions/horarium.fish

A new shell then completes commands, options, values and topics of the handbook.`;

/**
 * Adds `completion`, which prints the script of a shell, and the hidden `complete`, which the script asks.
 * @param programWith builds the program with the commands of these plugins.
 */
export function addCompletionCommands(
  program: Command,
  io: Io,
  programWith: (plugins: PluginProgram) => Command,
): void {
  addCompletion(program, io);
  addComplete(program, io, programWith);
}

function addCompletion(program: Command, io: Io): void {
  const command = program
    .command('completion')
    .description('Print a script for bash, zsh or fish that completes the command line.')
    .addArgument(new Argument('[shell]', 'the shell that reads the script').choices(shells))
    .addHelpText('after', installing);
  command.action(async (shell?: Shell) => {
    if (shell === undefined)
      return command.error(`error: missing required argument 'shell': one of ${shells.join(', ')}`);
    const { completionScripts } = await import('../../cli/completion/scripts.ts');
    await io.out(completionScripts[shell]);
  });
}

/**
 * Adds `complete -- LINE`, which prints the words that may stand at the end of a line, each as `word<TAB>meaning`, and `:files`
 * where a file may be named. A shell runs it at each press of the Tab key, so a failure offers nothing and prints nothing.
 */
function addComplete(program: Command, io: Io, programWith: (plugins: PluginProgram) => Command): void {
  const command = program
    .command('complete', { hidden: true })
    .description('Print what may stand at the end of a command line, for the script of a shell.')
    .argument('<line>', 'the line up to the cursor, with the name of the program');
  command.action(async (text: string) => {
    try {
      await io.out(await answerTo(text));
    } catch {
      // A message would stand in the middle of the line that is being typed.
    }
  });

  async function answerTo(text: string): Promise<string> {
    const [{ complete }, { splitWords }] = await Promise.all([
      import('../../cli/completion/complete.ts'),
      import('../../cli/completion/split-words.ts'),
    ]);
    const line = splitWords(text);
    const [name] = line.words;
    const isBuiltIn = program.commands.some((each) => each.name() === name);
    const whole = isBuiltIn ? program : await programWithPlugins(io, programWith);
    const { candidates, files } = complete(whole, line, name === 'help' ? await topics() : []);
    const words = candidates.map(({ word, meaning }) => `${word}\t${meaning}\n`);
    return [...words, ...(files ? [':files\n'] : [])].join('');
  }
}

/** The pages of the handbook, as what `help` may show. */
async function topics(): Promise<Candidate[]> {
  const { readTopics } = await import('../../cli/handbook-help.ts');
  return (await readTopics()).map(({ topic, title }) => ({ word: topic, meaning: title }));
}

/**
 * Builds the program with the plugins of the settings, without files of secrets. If that fails, because a plugin cannot be
 * loaded or has a secret among its options, the built-in plugins remain. A `--config` in the line does not count: the line is
 * not entered yet, and a plugin is a program.
 */
async function programWithPlugins(
  { environment, folder, machine, configFile }: Io,
  programWith: (plugins: PluginProgram) => Command,
): Promise<Command> {
  try {
    const path = await findConfigFile(environment, configFile);
    const file = path === undefined ? undefined : await readConfigFile(path, folder);
    const { config } = readConfig({ ...(file && { file }), environment, flags: {}, machine });
    return programWith(await loadPluginsOf(config, folder));
  } catch {
    const { config } = readConfig({ environment: {}, flags: {}, machine });
    return programWith(await loadPluginsOf(config, folder));
  }
}
