import type { Command } from 'commander';
import { buildProgram } from '../../../host/cli/all-commands.ts';
import type { Io } from '../../../host/cli/io.ts';
import { loadPluginProgram } from '../../../host/commands/plugin-commands.ts';
import { sourceRoot } from '../../house/source-files.ts';

/** The settings that load the plugins which come with the service, also those that are loaded by name alone. */
const everyPlugin = { HORARIUM_PLUGINS: 'built-in,fleet-nats' };

/**
 * Builds the program with all of its commands, those of the built-in plugins included, to read their descriptions.
 * @param plugins whether with the plugins that are loaded by name alone, too
 */
export async function helpProgram({
  plugins = 'usual',
}: {
  readonly plugins?: 'usual' | 'all';
} = {}): Promise<Command> {
  const machine = { cores: 1, timezone: 'UTC', terminal: false };
  const environment = plugins === 'all' ? everyPlugin : {};
  const io = { arguments: [], environment, folder: sourceRoot, machine } as unknown as Io;
  const open = () => Promise.reject(new Error('no store'));
  return buildProgram({ io, open }, await loadPluginProgram(io));
}

/** The names of all commands that help describes, those of the built-in plugins included. */
export async function helpedCommands(): Promise<string[]> {
  const program = await helpProgram();
  const commands = program.createHelp().visibleCommands(program);
  return commands.map((command) => command.name());
}
