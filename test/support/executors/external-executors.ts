import { type Clock, type ExternalExecutor, preparePlugin } from '@horarium/core';
import { isExternalExecutor } from '#core/executor/executor';
import plugin from '../../../plugins/executor-external/plugin.ts';

/** The external executors that the plugin registers under these options, by name. */
export function externalExecutors(options: object = {}): (readonly [string, ExternalExecutor])[] {
  const { setup } = preparePlugin(plugin, options, noClock);
  const executors = plugin.executors?.(setup as never) ?? [];
  return executors.flatMap((executor) => (isExternalExecutor(executor) ? [[executor.name, executor] as const] : []));
}

/** The plugin uses no clock. */
const noClock = {} as Clock;
