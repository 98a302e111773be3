import { pathToFileURL } from 'node:url';
import { defineAsyncExecutor, definePlugin, text } from '@horarium/core/plugin';

/** Runs the functions that a module exports as jobs, in the process of the service; the executable of an App names one. */
export default definePlugin({
  name: 'executor-function',
  api: 1,
  options: { module: text(4096, { description: 'The path of the module whose exports are run.' }).required() },
  executors({ options: { module } }) {
    const functions = import(pathToFileURL(module).href);
    // Each job says why the module cannot be loaded.
    functions.catch(() => undefined);
    return [
      defineAsyncExecutor({
        name: 'function',
        // A job is started when its function is found, and not before.
        reportsStart: true,
        async run(attempt) {
          const run = (await functions)[attempt.executable];
          if (typeof run === 'function') {
            attempt.started();
            return run(attempt);
          }
          return { exitCode: 127, reason: `${module} exports no function ${attempt.executable}` };
        },
      }),
    ];
  },
});
