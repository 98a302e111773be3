import type { Config } from '../config/settings.ts';

const native = 'executor-native';

/**
 * What each plugin is given: what the settings say under its name, and for the native executor the settings that are
 * about jobs, where its own options do not say otherwise. Only a process that runs jobs needs to be able to.
 */
export function pluginOptions(config: Config, running: boolean): Readonly<Record<string, object>> {
  const given = config.plugin_options;
  if (config.plugins && !config.plugins.includes(native)) return given;
  const { timezone, output_cap: output_limit, executables, run_as } = config;
  const jobs = running ? { executables: executables ?? [], run_as } : {};
  return { ...given, [native]: { timezone, output_limit, ...jobs, ...given[native] } };
}
