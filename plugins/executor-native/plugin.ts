import {
  attemptLimitOptions,
  attemptLimits,
  choice,
  count,
  definePlugin,
  type RowOf,
  text,
  texts,
} from '@horarium/core/plugin';
import { sandboxNames } from '../process/sandbox/sandbox.ts';
import { nativeNeeds, sandboxFields } from '../process/sandbox/sandbox-fields.ts';
import { isRestricted, sandboxOptionsOf } from '../process/sandbox/sandbox-options.ts';
import { NativeExecutor } from './native-executor.ts';

const options = {
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
  job_users: texts(64, {
    description: 'Users for companies, each for one alone: names, ids that no user has, or ranges of them.',
  }),
  containment: choice(['auto', ...sandboxNames], {
    description:
      'What keeps the processes of a job together, so that none outlives it; auto = the best that works here.',
  })
    .default('auto')
    .nonNullable(),
  ...sandboxFields(false, nativeNeeds),
};

/** The executors by the setup of their plugin, so that its start prepares the same executor that it provides. */
const executors = new WeakMap<object, NativeExecutor>();

/** Runs jobs as processes of this machine. */
export default definePlugin({
  name: 'executor-native',
  api: 1,
  options,
  executors: (setup) => [executorOf(setup)],
  start: async (setup) => {
    const executor = executorOf(setup);
    for (const warning of executor.checkUsers()) setup.log(warning);
    const prepared = executor.prepare().then((sandbox) => {
      if (!executor.isClosed) setup.log(`jobs are contained by ${sandbox}`);
    });
    // Only what was asked for can stop the start, so that the start need not wait for the best sandbox.
    if (setup.options.containment !== 'auto' || isRestricted(sandboxOptionsOf(setup.options))) await prepared;
    else prepared.catch((error: Error) => executor.isClosed || setup.log(error.message));
  },
});

type Options = RowOf<typeof options>;

function executorOf(setup: { readonly options: Options }): NativeExecutor {
  const executor = executors.get(setup) ?? makeExecutor(setup.options);
  executors.set(setup, executor);
  return executor;
}

function makeExecutor(options: Options): NativeExecutor {
  const { folder, path, home, language, timezone: timeZone, users, job_users: jobUsers, run_as: runAs } = options;
  return new NativeExecutor({
    ...{ folder, path, home, language, timeZone, users, jobUsers, runAs },
    grace: options.grace * 1000,
    ...attemptLimits(options),
    executables: options.executables.length > 0 ? options.executables : null,
    sandbox: options.containment === 'auto' ? null : options.containment,
    sandboxOptions: sandboxOptionsOf(options),
  });
}
