import {
  buildRegistries,
  type Clock,
  type Executor,
  HorariumError,
  isStartedHere,
  type PluginLog,
} from '@horarium/core';
import type { Config } from '../config/settings.ts';
import type { LoadConfiguredPlugins } from '../plugins/configured-plugins.ts';
import { closeExecutors, startPlugins, stopPlugin } from '../plugins/start-plugins.ts';

/** The executors of an agent, by name. */
export interface OpenExecutors extends AsyncDisposable {
  readonly executors: ReadonlyMap<string, Executor>;
}

/**
 * Loads the plugins that the settings name, and starts those that bring executors: an agent has no use for the others.
 * @throws HorariumError `invalid` naming the plugin that cannot be used, or where no executor starts jobs on this machine.
 */
export async function openExecutors(
  config: Config,
  {
    loadPlugins,
    ...options
  }: {
    readonly loadPlugins: LoadConfiguredPlugins;
    readonly folder: string;
    readonly clock: Clock;
    readonly log: PluginLog;
  },
): Promise<OpenExecutors> {
  const loaded = await loadPlugins(config, { serving: true, ...options });
  const plugins = loaded.filter(({ plugin }) => plugin.executors !== undefined);
  const registries = buildRegistries(plugins);
  const startedHere = [...registries.executors].filter(isStartedHere);
  const executors = new Map(startedHere.map((executor) => [executor.name, executor]));
  if (executors.size === 0)
    throw new HorariumError('invalid', 'None of the plugins has an executor that starts jobs on this machine.');
  await startPlugins(plugins, registries);
  return {
    executors,
    async [Symbol.asyncDispose]() {
      await closeExecutors(registries);
      for (const prepared of plugins.toReversed()) await stopPlugin(prepared);
    },
  };
}
