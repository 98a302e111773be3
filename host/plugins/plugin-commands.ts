import { type AnyCommand, buildCommands } from '@horarium/core';
import { systemClock } from '../../adapters/node/system-clock.ts';
import type { Io } from '../cli/io.ts';
import { readConfigFile } from '../config/config-file.ts';
import { readConfig } from '../config/read-config.ts';
import { builtInPlugins, pluginDefaults } from './built-in.ts';
import { loadPlugins } from './load-plugins.ts';

/**
 * The commands of the plugins that the settings name. They are needed before the command line is parsed, so of its
 * settings only `--config` is read here.
 * @throws HorariumError `invalid` when settings are wrong or a plugin cannot be loaded.
 */
export async function pluginCommands({ arguments: line, environment, folder, machine }: Io): Promise<AnyCommand[]> {
  const named = configIn(line) ?? (environment['HORARIUM_CONFIG'] || undefined);
  const file = named === undefined ? undefined : await readConfigFile(named, folder);
  const { config } = readConfig({ ...(file ? { file } : {}), environment, flags: {}, machine });
  const prepared = await loadPlugins({
    builtIn: builtInPlugins,
    wanted: config.plugins,
    options: config.plugin_options,
    defaults: pluginDefaults(config, false),
    folder,
    clock: systemClock,
  });
  return [...buildCommands(prepared)];
}

function configIn(line: readonly string[]): string | undefined {
  const at = line.findIndex((word) => word === '--config' || word.startsWith('--config='));
  const word = line[at];
  return word === '--config' ? line[at + 1] : word?.slice('--config='.length);
}
