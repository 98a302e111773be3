import type { Command } from 'commander';
import { buildProgram } from '../../../host/cli/all-commands.ts';
import type { Io } from '../../../host/cli/io.ts';
import { loadPluginProgram } from '../../../host/commands/plugin-commands.ts';
import { sourceRoot } from '../../house/source-files.ts';

/** Builds the program with all of its commands, those of the built-in plugins included, to read their descriptions. */
export async function helpProgram(): Promise<Command> {
  const machine = { cores: 1, timezone: 'UTC', terminal: false };
  const io = { arguments: [], environment: {}, folder: sourceRoot, machine } as unknown as Io;
  const open = () => Promise.reject(new Error('no store'));
  return buildProgram({ io, open }, await loadPluginProgram(io));
}

/** The names of all commands that help describes, those of the built-in plugins included. */
export async function helpedCommands(): Promise<string[]> {
  const program = await helpProgram();
  const commands = program.createHelp().visibleCommands(program);
  return commands.map((command) => command.name());
}
