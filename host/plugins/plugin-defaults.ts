import type { Config } from '../config/settings.ts';

/**
 * What the settings about jobs say to the executors that come with the host; their own options win. Only a process that
 * runs jobs needs to be able to.
 */
export function pluginDefaults(config: Config, running: boolean): Readonly<Record<string, object>> {
  const { timezone, output_cap: output_limit, executables, run_as } = config;
  return {
    'executor-native': { timezone, output_limit, ...(running && { executables: executables ?? [], run_as }) },
    'executor-external': { output_limit },
  };
}
