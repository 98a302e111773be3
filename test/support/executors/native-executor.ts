import { preparePlugin, systemClock } from '@horarium/core';
import { NativeExecutor } from '../../../plugins/executor-native/native-executor.ts';
import plugin from '../../../plugins/executor-native/plugin.ts';
import type { NativeOptions } from '../../../plugins/executor-native/settings.ts';

/** Makes a native executor with the defaults of its plugin for all options but these. */
export function nativeExecutor(given: Partial<NativeOptions> = {}): NativeExecutor {
  const { setup } = preparePlugin(plugin, {}, systemClock);
  return new NativeExecutor({ ...(setup.options as NativeOptions), ...given });
}
