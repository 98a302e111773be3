import type { AnyPlugin } from '@horarium/core';
import { configuredPluginsOf } from './configured-plugins.ts';
import { executorPlugins } from './executor-plugins.ts';
import type { BuiltInPlugins } from './load-plugins.ts';

/** The plugins that come with the host; each is loaded only when the settings name it. */
const builtInPlugins: BuiltInPlugins = {
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
  'fleet-nats': async () => (await import('../../plugins/fleet-nats/plugin.ts')).default,
  ...executorPlugins,
};

/** Agents need a NATS server. */
const onlyByName: ReadonlySet<string> = new Set(['fleet-nats']);

/** The names of the plugins that come with the host. */
export const builtInNames = Object.keys(builtInPlugins);

/** The names of those that `built-in` stands for in the settings. */
export const loadedByDefault = builtInNames.filter((name) => !onlyByName.has(name));

/** Whether a plugin comes with the host: another one may have the same name. */
export async function isBuiltIn(plugin: AnyPlugin): Promise<boolean> {
  return Object.hasOwn(builtInPlugins, plugin.name) && (await builtInPlugins[plugin.name]?.()) === plugin;
}

/** Returns the options that a plugin of the host declares; undefined for a plugin that does not come with it. */
export async function builtInOptions(name: string): Promise<AnyPlugin['options']> {
  return Object.hasOwn(builtInPlugins, name) ? (await builtInPlugins[name]?.())?.options : undefined;
}

/** Loads the plugins that the settings name. @throws HorariumError `invalid` naming the one that cannot be used. */
export const loadConfiguredPlugins = configuredPluginsOf({ builtIn: builtInPlugins, onlyByName });
