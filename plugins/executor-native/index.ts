import type { Executor } from '@horarium/core/plugin';
import { NativeExecutor } from './native-executor.ts';
import type { NativeExecutorConfig } from './settings.ts';

export type { NativeExecutorConfig };

/**
 * The executor that runs attempts as processes of this machine.
 * @throws HorariumError `invalid` when it could not work.
 */
export function createNativeExecutor(config: NativeExecutorConfig = {}): Executor {
  return new NativeExecutor(config);
}
