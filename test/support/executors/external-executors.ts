import { type Clock, type ExternalExecutor, isStartedHere, preparePlugin } from '@horarium/core';
import plugin from '../../../plugins/executor-external/plugin.ts';

/** What the plugin brings with these options of its own, by name. */
export function externalExecutors(options: object = {}): (readonly [string, ExternalExecutor])[] {
  const { setup } = preparePlugin(plugin, options, noClock);
  const executors = plugin.executors?.(setup as never) ?? [];
  return executors.flatMap((executor) => (isStartedHere(executor) ? [] : [[executor.name, executor] as const]));
}

/** The plugin asks for none. */
const noClock = {} as Clock;
