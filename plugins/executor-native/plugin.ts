import { attemptLimitOptions, attemptLimits, count, definePlugin, text, texts } from '@horarium/core/plugin';
import { NativeExecutor } from './native-executor.ts';

/** Runs jobs as processes of this machine. */
export default definePlugin({
  name: 'executor-native',
  api: 1,
  options: {
    folder: text(4096, {
      description: 'Working directories of jobs are created in it; null = the folder for temporary files.',
    }),
    path: text(4096, { description: 'PATH of jobs; null = the usual one.' }),
    home: text(4096, { description: 'HOME of jobs; null = that of the user they run as.' }),
    language: text(64, { description: 'LANG of jobs; null = C.UTF-8.' }),
    timezone: text(64, { description: 'TZ of jobs; null = that of the service.' }),
    grace: count(10, { description: 'Seconds that a job has to end after it was asked to.' }),
    ...attemptLimitOptions,
    executables: texts(4096, { description: 'Folders that programs must be in; none = anywhere.' }),
    run_as: text(32, { description: 'User that jobs run as; null = the user of the service.' }),
    users: texts(32, { description: 'Users that a template may ask for.' }).nullable().default(null),
  },
  executors: ({ options }) => [
    new NativeExecutor({
      ...given({ folder: options.folder, path: options.path, home: options.home, language: options.language }),
      ...given({ timeZone: options.timezone }),
      grace: options.grace * 1000,
      ...attemptLimits(options),
      executables: options.executables.length > 0 ? options.executables : null,
      runAs: options.run_as,
      users: options.users,
    }),
  ],
});

/** Only those that are set. */
function given<K extends string>(values: Readonly<Record<K, string | null>>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<Record<K, string>>;
}
