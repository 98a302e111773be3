import { HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import type { PluginProgram } from '../../commands/plugin-commands.ts';
import type { buildProgram } from '../all-commands.ts';
import type { Cli } from '../command-session.ts';
import type { AskedHelp } from '../help/asked-help.ts';
import { serviceProgram } from './service-program.ts';

/** The program with the commands that a command line needs. */
export interface LineProgram {
  readonly program: Command;
  /** Says which plugin the command of the line belongs to, as a sentence; null = its plugin is to be loaded, or no plugin is known to have it. */
  readonly unloaded: string | null;
}

/**
 * Builds the program with the commands that the command line needs. The commands of the service come alone, so that it
 * starts sooner and holds less. Plugins are loaded only for one of their commands, the records that they bring included, for the
 * help on a kind of things, or for the list of all commands.
 * @param name of the command; undefined = the line has none.
 */
export async function programFor(cli: Cli, name: string | undefined, help: AskedHelp): Promise<LineProgram> {
  const asksForKind = help === 'line' && name !== undefined && !name.includes(':');
  if (!asksForKind) {
    const service = serviceProgram(cli);
    if (isKnown(service, name)) return { program: service, unloaded: null };
  }
  const { buildProgram } = await import('../all-commands.ts');
  const builtIn = buildProgram(cli);
  const isBuiltIn = name?.startsWith('-') || isKnown(builtIn, name);
  if (help !== 'all' && !asksForKind && isBuiltIn) return { program: builtIn, unloaded: null };
  const { loadPluginProgram } = await import('../../commands/plugin-commands.ts');
  let program = builtIn;
  try {
    program = buildWithPlugins(buildProgram, cli, await loadPluginProgram(cli.io));
  } catch (error) {
    // Help is there also where a plugin cannot be used: it may say what is wrong.
    if (help === null || !(error instanceof HorariumError)) throw error;
    if (!isBuiltIn || help === 'all') await cli.io.err(`${error.message}\n`);
  }
  const { commandsByKind } = await import('../help/kind-help.ts');
  const isThere = asksForKind ? commandsByKind(program).has(name.toLowerCase()) : isKnown(program, name);
  if (help === 'all' || name === undefined || isThere) return { program, unloaded: null };
  const { unloadedPluginOf } = await import('../unknown/unloaded-plugins.ts');
  const unloaded = await unloadedPluginOf(cli.io, name);
  if (unloaded === null) return { program, unloaded: null };
  return { program: buildProgram(cli, unloaded.adds), unloaded: unloaded.sentence };
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

/** Whether a program has a command of that name. */
export function isKnown({ commands }: Command, name: string | undefined): boolean {
  return commands.some((command) => command.name() === name);
}
