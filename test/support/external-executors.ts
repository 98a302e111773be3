import { type AnyExecutor, type Clock, preparePlugin } from '@horarium/core';
import plugin from '../../plugins/executor-external/plugin.ts';

/** What the plugin brings, by name; of each job so many bytes of output are kept. */
export function externalExecutors(output_limit?: number): [string, AnyExecutor][] {
  const { setup } = preparePlugin(plugin, output_limit === undefined ? {} : { output_limit }, noClock);
  return (plugin.executors?.(setup as never) ?? []).map((executor) => [executor.name, executor]);
}

/** The plugin asks for none. */
const noClock = {} as Clock;
