import { count, definePlugin } from '@horarium/core/plugin';

/** Logs a sentence each time that more jobs are due than the workers of all hosts can run. */
export default definePlugin({
  name: 'queue-watch',
  api: 1,
  options: { seconds: count(60, { description: 'Seconds between two looks.' }).min(1).max(3600) },
  tickers: ({ options: { seconds }, log }) => [
    {
      name: 'queue-watch',
      interval: seconds * 1000,
      async tick(core) {
        const { due, capacity } = await core.figures();
        if (due > capacity) log(`${due} jobs are due, and the workers can run ${capacity}`);
      },
    },
  ],
});
