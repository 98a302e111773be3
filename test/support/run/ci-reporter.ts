import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { countsLine, countsOf, type FileOutcome, failureLine, type Outcome } from './outcome.ts';

/** What mocha's types leave out of a runner. */
interface ParallelRunner extends Mocha.Runner {
  isParallelMode(): boolean;
  workerReporter(path: string): void;
}

interface OpenFile extends FileOutcome {
  passed: number;
  skipped: number;
  failures: { title: string; message: string }[];
  milliseconds: number;
}

/**
 * Reports dots and failures, and on the very last line how many tests passed, failed and were skipped. With the option
 * `outcome`, it writes the results of each file as JSON to the file of that name.
 */
export default class CiReporter extends Mocha.reporters.Dot {
  readonly #files = new Map<string | null, OpenFile>();
  readonly #outcomeFile: string | undefined;

  constructor(runner: ParallelRunner, options: Mocha.MochaOptions) {
    super(runner, options);
    this.#outcomeFile = options.reporterOptions?.outcome;
    if (runner.isParallelMode()) runner.workerReporter(`${import.meta.dirname}/worker-reporter.js`);
    runner.on('pass', ({ file }) => {
      this.#of(file).passed += 1;
    });
    runner.on('pending', ({ file }) => {
      this.#of(file).skipped += 1;
    });
    runner.on('fail', (runnable: Mocha.Test | Mocha.Hook, error: Error & { file?: string }) => {
      const [title, message] = [runnable.fullTitle(), String(error?.message ?? error)];
      // Mocha adds the file to the error of one that cannot be loaded, or whose process dies.
      const failed = this.#of(runnable.file ?? error?.file);
      failed.failures.push({ title, message });
      // At once, for those who read the log of a run that is cut off.
      Mocha.reporters.Base.consoleLog(`\n${failureLine(failed, { title, message })}`);
    });
    for (const event of ['test end', 'hook end'] as const)
      runner.on(event, ({ file, duration }: Mocha.Runnable) => {
        this.#of(file).milliseconds += duration ?? 0;
      });
  }

  /** Called after the global fixtures. @param failures include failures of the fixtures. */
  override done(failures: number, callback: (failures: number) => void): void {
    const files = [...this.#files.values()];
    const fixturesFailed = failures > countsOf({ files, fixturesFailed: false }).failed;
    const outcome: Outcome = { files, fixturesFailed };
    if (this.#outcomeFile === undefined) Mocha.reporters.Base.consoleLog(countsLine(countsOf(outcome)));
    else writeFileSync(this.#outcomeFile, JSON.stringify(outcome));
    callback(failures);
  }

  #of(file: string | null = null): OpenFile {
    const known = this.#files.get(file) ?? { file, passed: 0, skipped: 0, failures: [], milliseconds: 0 };
    this.#files.set(file, known);
    return known;
  }
}
