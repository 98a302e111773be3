import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AnyPlugin,
  type Clock,
  didYouMean,
  errorMessage,
  HorariumError,
  type PluginLog,
  type PreparedPlugin,
  preparePlugin,
} from '@horarium/core';
import { pluginModule } from './plugin-path.ts';
import { readPluginVersion } from './plugin-version.ts';

/** The version of the plugin interface that this host supports. */
const api = 1;

/** Plugins that come with the host, by name; each is loaded only when the settings name it. */
export type BuiltInPlugins = Readonly<Record<string, () => Promise<AnyPlugin>>>;

export interface PluginSources {
  /** The plugins that come with the host. */
  readonly builtIn: BuiltInPlugins;
  /** Those of them that are loaded only by their names, because they need more than the service itself. */
  readonly onlyByName: ReadonlySet<string>;
  /** Names of packages or paths; `built-in`, also the default, stands for all others that come with the host. */
  readonly wanted: readonly string[] | null;
  /** Options by the name of their plugin; options of a plugin that is not loaded are an error. */
  readonly options: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /**
   * Defaults of those options, by the name that a plugin gives itself and not by the path it was loaded from, because
   * such an option may be what keeps jobs from running as root.
   */
  readonly defaults: Readonly<Record<string, object>>;
  /** The folder where relative paths start. */
  readonly folder: string;
  readonly clock: Clock;
  /** @default discards what plugins log */
  readonly log?: PluginLog;
}

/**
 * Loads plugins in the order given.
 * @throws HorariumError `invalid` naming the plugin that cannot be loaded, is not a plugin, needs another interface, has
 * invalid options or is loaded twice.
 */
export async function loadPlugins(sources: PluginSources): Promise<PreparedPlugin[]> {
  const builtIn = Object.keys(sources.builtIn).filter((name) => !sources.onlyByName.has(name));
  const names = (sources.wanted ?? ['built-in']).flatMap((name) => (name === 'built-in' ? builtIn : [name]));
  const plugins: AnyPlugin[] = [];
  for (const [index, plugin] of (await Promise.all(names.map((name) => loadPlugin(name, sources)))).entries()) {
    if (plugins.some((other) => other.name === plugin.name))
      throw pluginError(`Two plugins are called ${plugin.name}; the second one is ${names[index]}.`);
    plugins.push(plugin);
  }
  const unknown = Object.keys(sources.options).find((name) => !plugins.some((plugin) => plugin.name === name));
  if (unknown !== undefined) {
    const loaded = plugins.map((plugin) => plugin.name);
    throw pluginError(
      `There are options for the plugin ${unknown}, which is not loaded.${didYouMean(unknown, loaded)}`,
    );
  }
  const optionsOf = ({ name }: AnyPlugin) => ({ ...sources.defaults[name], ...sources.options[name] });
  return plugins.map((plugin) => preparePlugin(plugin, optionsOf(plugin), sources.clock, sources.log));
}

/**
 * Loads one plugin by its name or path.
 * @throws HorariumError `invalid` when it cannot be loaded, is not a plugin or needs another interface.
 */
export async function loadPlugin(name: string, sources: Pick<PluginSources, 'builtIn' | 'folder'>): Promise<AnyPlugin> {
  const { candidate, module } = await load(name, sources);
  const plugin = checkPlugin(name, candidate);
  if (module !== null) readPluginVersion(plugin, module);
  return plugin;
}

interface LoadedModule {
  /** What should be a plugin. */
  readonly candidate: unknown;
  /** The URL of its file; null = it comes with the host. */
  readonly module: string | null;
}

async function load(
  name: string,
  { builtIn, folder }: Pick<PluginSources, 'builtIn' | 'folder'>,
): Promise<LoadedModule> {
  const path = /^(?:\.{1,2}$|\.{0,2}\/)/.test(name) ? resolve(folder, name) : undefined;
  if (path && !existsSync(path))
    throw pluginError(`The plugin ${name} cannot be loaded: there is no file or folder ${path}.`);
  try {
    if (!path && Object.hasOwn(builtIn, name)) return { candidate: await builtIn[name]?.(), module: null };
    const module = path ? pathToFileURL(pluginModule(path)).href : name;
    const { default: candidate } = (await import(module)) as { readonly default?: unknown };
    return { candidate, module: import.meta.resolve(module) };
  } catch (error) {
    const reason = !path && isMissing(name, error) ? missingReason(name, Object.keys(builtIn), folder) : null;
    throw pluginError(`The plugin ${name} cannot be loaded: ${reason ?? `${firstLine(error)}.`}`);
  }
}

/** Whether no package of that name is installed, rather than one that it imports. */
function isMissing(name: string, error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' && errorMessage(error).includes(`'${name}'`);
}

function missingReason(name: string, builtIn: readonly string[], folder: string): string {
  const installed = 'no package of that name is installed beside the service.';
  if (existsSync(resolve(folder, name))) return `${installed} Write ./${name} for the file or folder of that name.`;
  const suggestion = didYouMean(name, builtIn) || ` Built in are ${builtIn.join(', ')}.`;
  return `${installed} npm i ${name} installs one; a path begins with ./ or /.${suggestion}`;
}

function checkPlugin(name: string, candidate: unknown): AnyPlugin {
  if (
    typeof candidate !== 'object' ||
    candidate === null ||
    !('name' in candidate) ||
    typeof candidate.name !== 'string'
  )
    throw pluginError(
      `${name} is not a plugin: its default export must be created with definePlugin({ name, api, … }).`,
    );
  const plugin = candidate as AnyPlugin;
  if (plugin.api !== api)
    throw pluginError(
      `The plugin ${plugin.name} (${name}) is written for version ${plugin.api ?? '?'} of the plugin interface; ` +
        `this host supports version ${api}.`,
    );
  return plugin;
}

function pluginError(message: string): HorariumError {
  return new HorariumError('invalid', message);
}

function firstLine(error: unknown): string {
  const [line = ''] = errorMessage(error).split('\n');
  return line.replace(/\.$/, '');
}
