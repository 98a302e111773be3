import {
  attemptLimitOptions,
  attemptLimits,
  defineExternalExecutor,
  definePlugin,
  seconds,
} from '@horarium/core/plugin';
import { mediaTypeOf } from '../process/working-folder/media-type.ts';

/** Lets external workers run jobs: they claim them through the API, and report how they go. */
export default definePlugin({
  name: 'executor-external',
  api: 1,
  options: attemptLimitOptions,
  executors: ({ options }) => [
    defineExternalExecutor({
      name: 'external',
      options: {
        heartbeat_timeout: seconds(0, {
          description:
            'An attempt is lost this many seconds after its last heartbeat; null = only the timeout ends it.',
        })
          .nullable()
          .default(null)
          .min(1)
          .max(2 ** 31 - 1),
      },
      limits: attemptLimits(options),
      heartbeatTimeout: ({ heartbeat_timeout = null }) =>
        heartbeat_timeout === null ? null : heartbeat_timeout * 1000,
      contentTypeOf: mediaTypeOf,
    }),
  ],
});
