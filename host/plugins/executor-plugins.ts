import type { BuiltInPlugins } from './load-plugins.ts';

/** The plugins that come with the host and bring executors: agents have no use for the others. */
export const executorPlugins: BuiltInPlugins = {
  'executor-external': async () => (await import('../../plugins/executor-external/plugin.ts')).default,
  'executor-container': async () => (await import('../../plugins/executor-container/plugin.ts')).default,
  'executor-http': async () => (await import('../../plugins/executor-http/plugin.ts')).default,
  'executor-native': async () => (await import('../../plugins/executor-native/plugin.ts')).default,
};
