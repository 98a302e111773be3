import type { Config } from '../config/settings.ts';

const native = 'executor-native';
const external = 'executor-external';

/**
 * What each plugin is given: what the settings say under its name, and for the executors that come with the host the
 * settings that are about jobs, where their own options do not say otherwise. Only a process that runs jobs needs to be
 * able to.
 */
export function pluginOptions(config: Config, running: boolean): Readonly<Record<string, object>> {
  const { plugins, timezone, output_cap: output_limit, executables, run_as } = config;
  const settled = {
    [native]: { timezone, output_limit, ...(running && { executables: executables ?? [], run_as }) },
    [external]: { output_limit },
  };
  const loaded = Object.entries(settled).filter(([name]) => plugins === null || plugins.includes(name));
  const given = config.plugin_options;
  return { ...given, ...Object.fromEntries(loaded.map(([name, options]) => [name, { ...options, ...given[name] }])) };
}
