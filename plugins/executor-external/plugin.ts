import { artifactLimitOptions, artifactLimits, count, definePlugin, integer } from '@horarium/core/plugin';

const mebibyte = 1024 * 1024;

/** Lets jobs be done elsewhere: whoever does the work claims one through the API, and reports how it went. */
export default definePlugin({
  name: 'executor-external',
  api: 1,
  options: {
    output_limit: count(10 * mebibyte, { description: 'Bytes of output that are kept of one job.' }),
    ...artifactLimitOptions,
  },
  executors: ({ options }) => [
    {
      name: 'external',
      options: {
        heartbeat_timeout: integer({
          description: 'Seconds after the last sign of life when an attempt is lost; null = only the timeout ends it.',
        })
          .min(1)
          .max(2 ** 31 - 1),
      },
      outputLimit: options.output_limit,
      artifactLimits: artifactLimits(options),
      patience: ({ heartbeat_timeout = null }) =>
        heartbeat_timeout === null ? null : (heartbeat_timeout as number) * 1000,
    },
  ],
});
