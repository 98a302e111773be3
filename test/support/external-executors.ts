import { type Clock, type ExternalExecutor, isStartedHere, preparePlugin } from '@horarium/core';
import plugin from '../../plugins/executor-external/plugin.ts';

/** What the plugin brings, by name; of each job so many bytes of output are kept. */
export function externalExecutors(output_limit?: number): (readonly [string, ExternalExecutor])[] {
  const { setup } = preparePlugin(plugin, output_limit === undefined ? {} : { output_limit }, noClock);
  const executors = plugin.executors?.(setup as never) ?? [];
  return executors.flatMap((executor) => (isStartedHere(executor) ? [] : [[executor.name, executor] as const]));
}

/** The plugin asks for none. */
const noClock = {} as Clock;
