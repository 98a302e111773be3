import type { AnyPlugin, Clock, PluginLog, PreparedPlugin } from '@horarium/core';
import type { Config } from '../config/settings.ts';
import { loadPlugins } from './load-plugins.ts';

/** The plugins that come with the host; each is loaded only when the settings name it. */
const builtInPlugins: Readonly<Record<string, () => Promise<AnyPlugin>>> = {
  'format-json': async () => (await import('../../plugins/format-json/plugin.ts')).default,
  'format-xml': async () => (await import('../../plugins/format-xml/plugin.ts')).default,
  'format-yaml': async () => (await import('../../plugins/format-yaml/plugin.ts')).default,
  'format-csv': async () => (await import('../../plugins/format-csv/plugin.ts')).default,
  'format-html': async () => (await import('../../plugins/format-html/plugin.ts')).default,
  'import-crontab': async () => (await import('../../plugins/import-crontab/plugin.ts')).default,
  'import-ics': async () => (await import('../../plugins/import-ics/plugin.ts')).default,
  'import-app-definition': async () => (await import('../../plugins/import-app-definition/plugin.ts')).default,
  'calendar-rrule': async () => (await import('../../plugins/calendar-rrule/plugin.ts')).default,
  'calendar-holidays': async () => (await import('../../plugins/calendar-holidays/plugin.ts')).default,
  'action-webhook': async () => (await import('../../plugins/action-webhook/plugin.ts')).default,
  'action-email': async () => (await import('../../plugins/action-email/plugin.ts')).default,
  'action-healthchecks': async () => (await import('../../plugins/action-healthchecks/plugin.ts')).default,
  'action-command': async () => (await import('../../plugins/action-command/plugin.ts')).default,
  'action-disable': async () => (await import('../../plugins/action-disable/plugin.ts')).default,
  console: async () => (await import('../../plugins/console/plugin.ts')).default,
  docs: async () => (await import('../../plugins/docs/plugin.ts')).default,
  pings: async () => (await import('../../plugins/pings/plugin.ts')).default,
  'event-source-changes-table': async () =>
    (await import('../../plugins/event-source-changes-table/plugin.ts')).default,
  'event-source-webhook': async () => (await import('../../plugins/event-source-webhook/plugin.ts')).default,
  'executor-external': async () => (await import('../../plugins/executor-external/plugin.ts')).default,
  'executor-container': async () => (await import('../../plugins/executor-container/plugin.ts')).default,
  'executor-http': async () => (await import('../../plugins/executor-http/plugin.ts')).default,
  'fleet-nats': async () => (await import('../../plugins/fleet-nats/plugin.ts')).default,
  'executor-native': async () => (await import('../../plugins/executor-native/plugin.ts')).default,
};

/** Agents need a NATS server. */
const onlyByName: ReadonlySet<string> = new Set(['fleet-nats']);

/** The names of the plugins that come with the host. */
export const builtInNames = Object.keys(builtInPlugins);

/** The names of those that `built-in` stands for in the settings. */
export const loadedByDefault = builtInNames.filter((name) => !onlyByName.has(name));

/** The names of those that bring executors. */
export const executorPlugins = builtInNames.filter((name) => name.startsWith('executor-'));

/** Whether a name of the settings stands for plugins that come with the host. */
export function comesWithHost(name: string): boolean {
  return name === 'built-in' || Object.hasOwn(builtInPlugins, name);
}

/** Whether `built-in` stands for a plugin of this name, which comes with the host. */
export function isLoadedByDefault(name: string): boolean {
  return Object.hasOwn(builtInPlugins, name) && !onlyByName.has(name);
}

/** Whether a plugin comes with the host: another one may have the same name. */
export async function isBuiltIn(plugin: AnyPlugin): Promise<boolean> {
  return Object.hasOwn(builtInPlugins, plugin.name) && (await builtInPlugins[plugin.name]?.()) === plugin;
}

/** Returns the options that a plugin of the host declares; undefined for a plugin that does not come with it. */
export async function builtInOptions(name: string): Promise<AnyPlugin['options']> {
  return Object.hasOwn(builtInPlugins, name) ? (await builtInPlugins[name]?.())?.options : undefined;
}

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

/**
 * Loads the plugins that the settings name.
 * @throws HorariumError `invalid` naming the one that cannot be used.
 */
export function loadConfiguredPlugins(
  config: Config,
  { serving, serviceUser = null, ...sources }: LoadOptions,
): Promise<PreparedPlugin[]> {
  return loadPlugins({
    builtIn: builtInPlugins,
    onlyByName,
    wanted: config.plugins,
    options: config.plugin_options,
    defaults: pluginDefaults(config, { serving, serviceUser }),
    ...sources,
  });
}
