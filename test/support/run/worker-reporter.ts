import { createRequire } from 'node:module';
import type Mocha from 'mocha';

type Reporter = new (runner: Mocha.Runner, options: Mocha.MochaOptions) => Mocha.reporters.Base;

const ParallelBuffered: Reporter = createRequire(import.meta.url)('mocha/lib/nodejs/reporters/parallel-buffered.cjs');

/**
 * Sends what happens in a worker to the process of mocha, as mocha's own reporter does, and names the file of hooks outside
 * every suite, which mocha does not.
 */
export default class WorkerReporter extends ParallelBuffered {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    const file = (options as { readonly files?: readonly string[] }).files?.[0];
    runner.on('hook', (hook) => {
      hook.file ??= file as string;
    });
    super(runner, options);
  }
}
