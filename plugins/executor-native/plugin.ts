import { definePlugin } from '@horarium/core/plugin';
import { isRestricted, sandboxOptionsOf } from '../process/sandbox/sandbox-options.ts';
import { NativeExecutor } from './native-executor.ts';
import { type NativeOptions, nativeOptions } from './settings.ts';

/** The executors by the setup of their plugin, so that its start prepares the same executor that it provides. */
const executors = new WeakMap<object, NativeExecutor>();

/** Runs jobs as processes of this machine. */
export default definePlugin({
  name: 'executor-native',
  api: 1,
  options: nativeOptions,
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

function executorOf(setup: { readonly options: NativeOptions }): NativeExecutor {
  const executor = executors.get(setup) ?? new NativeExecutor(setup.options);
  executors.set(setup, executor);
  return executor;
}
