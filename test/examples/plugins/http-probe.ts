import { type AttemptResult, defineExecutor, definePlugin, integer } from '@horarium/core/plugin';

const ended = (outcome: Partial<AttemptResult>): AttemptResult => ({
  exitCode: null,
  signal: null,
  timedOut: false,
  reason: null,
  finishedAt: Date.now(),
  files: [],
  ...outcome,
});

/** Runs a job by requesting the URL that its App names as its executable; it succeeds when the server answers as expected. */
export default definePlugin({
  name: 'http-probe',
  api: 1,
  executors: () => [
    defineExecutor({
      name: 'http-probe',
      options: { status: integer({ description: 'The expected status; null = any below 400.' }).min(100).max(599) },
      start({ executable, timeout, options: { status = null } }, report) {
        const stopping = new AbortController();
        const timer = timeout === null ? undefined : setTimeout(() => stopping.abort('timeout'), timeout);
        const run = async (): Promise<AttemptResult> => {
          // `start` returns before anything is reported.
          await Promise.resolve();
          report.started({ pid: null });
          const response = await fetch(executable, { signal: stopping.signal });
          await report.output('stdout', new Uint8Array(await response.arrayBuffer()));
          const succeeded = status === null ? response.ok : response.status === status;
          return ended({ exitCode: succeeded ? 0 : 1, reason: `the server answered ${response.status}` });
        };
        const done = run()
          .catch((error) => {
            if (!stopping.signal.aborted) return ended({ exitCode: 1, reason: (error as Error).message });
            const timedOut = stopping.signal.reason === 'timeout';
            return ended({ timedOut, reason: timedOut ? 'the server did not answer in time' : stopping.signal.reason });
          })
          .finally(() => clearTimeout(timer));
        return { done, stop: (reason) => stopping.abort(reason) };
      },
    }),
  ],
});
