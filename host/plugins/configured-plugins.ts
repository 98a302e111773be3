import type { Clock, PluginLog, PreparedPlugin } from '@horarium/core';
import type { Config } from '../config/settings.ts';
import { loadPlugins, type PluginSources } from './load-plugins.ts';

/**
 * Translates the settings about jobs and requests to options of the built-in plugins; options that the settings give to a plugin
 * itself win. Only a process that runs jobs checks which programs they may start; every one knows as whom they may run, and which
 * programs actions may start, because `action:test` starts them too.
 */
function pluginDefaults(
  config: Config,
  { serving, serviceUser }: Required<Pick<LoadOptions, 'serving' | 'serviceUser'>>,
): Readonly<Record<string, object>> {
  const { timezone, max_output, executables, run_as, job_users, outbound_networks } = config;
  const outbound = { allowed_networks: outbound_networks ?? [] };
  return {
    'executor-native': {
      timezone,
      max_output,
      job_users: job_users ?? [],
      run_as,
      service_user: serviceUser,
      ...(serving && { executables: executables ?? [] }),
    },
    'executor-external': { max_output },
    'executor-container': { max_output },
    'executor-http': { max_output, ...outbound },
    'action-webhook': outbound,
    'action-healthchecks': outbound,
    'action-command': { executables: executables ?? [], run_as },
  };
}

interface LoadOptions {
  /** Whether this process is the service, which runs jobs. */
  readonly serving: boolean;
  /** The user of the service, in a command that knows it. @default null */
  readonly serviceUser?: string | null;
  /** The folder where relative paths of plugins start. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log?: PluginLog;
}

/** Loads the plugins that the settings name. @throws HorariumError `invalid` naming the one that cannot be used. */
export type LoadConfiguredPlugins = (config: Config, options: LoadOptions) => Promise<PreparedPlugin[]>;

/** Returns what loads plugins by the settings, where these come with the program. */
export function configuredPluginsOf(known: Pick<PluginSources, 'builtIn' | 'onlyByName'>): LoadConfiguredPlugins {
  return (config, { serving, serviceUser = null, ...sources }) =>
    loadPlugins({
      ...known,
      wanted: config.plugins,
      options: config.plugin_options,
      defaults: pluginDefaults(config, { serving, serviceUser }),
      ...sources,
    });
}
