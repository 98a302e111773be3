import { yieldToEventLoop } from '@horarium/core';
import { configIn, loadPluginsOf, type PluginProgram } from '../../commands/plugin-commands.ts';
import { readConfig } from '../../config/read-config.ts';
import { builtInNames, loadedByDefault } from '../../plugins/built-in.ts';
import type { Io } from '../io.ts';
import { readSettings } from '../setting-options.ts';

/** A plugin that comes with the host, and that is not loaded. */
export interface UnloadedPlugin {
  /** Says that what was looked for belongs to the plugin, and how to load it; null = the settings load it, but some plugin cannot be. */
  readonly sentence: string | null;
  /** What it would add to the program. */
  readonly adds: PluginProgram;
}

/**
 * Looks for the plugin that has a command, among those that come with the host.
 * @param name of the command, `agent:list`, or of a kind of things.
 * @returns null = none of them has it.
 */
export async function unloadedPluginOf(io: Io, name: string): Promise<UnloadedPlugin | null> {
  const { config } = readConfig({ environment: {}, flags: {}, machine: io.machine });
  const wanted = await wantedPlugins(io);
  const loaded = new Set(wanted.flatMap((each) => (each === 'built-in' ? loadedByDefault : [each])));
  for (const plugin of builtInNames) {
    await yieldToEventLoop();
    const adds = await loadPluginsOf({ ...config, plugins: [plugin] }, io.folder);
    if (!isAbout(adds, name.toLowerCase())) continue;
    if (loaded.has(plugin)) return { sentence: null, adds };
    const plugins = [...wanted, plugin].join(', ');
    const these = isCommand(adds, name) ? 'This command belongs' : 'These commands belong';
    const sentence = `${these} to the plugin ${plugin}, which is not loaded: the setting plugins loads it, such as plugins: [${plugins}] in the settings file.`;
    return { sentence, adds };
  }
  return null;
}

/** The plugins that the settings name; the default ones where the settings cannot be read. */
async function wantedPlugins(io: Io): Promise<readonly string[]> {
  const plugins = await readSettings(io, configIn(io.arguments)).then(
    ({ config }) => config.plugins,
    () => null,
  );
  return plugins ?? ['built-in'];
}

/** Whether a name is that of one command, and not of a kind of things. */
function isCommand({ commands }: PluginProgram, name: string): boolean {
  return name.includes(':') || commands.some(({ command }) => command.name === name);
}

function isAbout({ commands, resources }: PluginProgram, name: string): boolean {
  const [kind] = name.split(':');
  return (
    resources.some(({ names }) => names.singular === kind) ||
    commands.some(({ command }) => command.name === name || command.name.startsWith(`${name}:`))
  );
}
