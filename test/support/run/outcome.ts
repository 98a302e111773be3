import { relative } from 'node:path';
import { cwd } from 'node:process';

/** What failed: a test, a hook, or a file that could not be loaded or whose process died. */
export interface Failure {
  /** The title of the test or hook, after the titles of the suites around it. */
  readonly title: string;
  readonly message: string;
}

/** The results of one test file. */
export interface FileOutcome {
  /** The absolute path of the file; null for what fails outside every file. */
  readonly file: string | null;
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  /** How long its tests and hooks took. */
  readonly milliseconds: number;
}

/** The results of one run of mocha. */
export interface Outcome {
  readonly files: readonly FileOutcome[];
  /** Whether the global fixtures failed, which also look for what tests leave behind. */
  readonly fixturesFailed: boolean;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countsOf({ files, fixturesFailed }: Outcome): Counts {
  const sum = (number: (file: FileOutcome) => number) => files.reduce((total, file) => total + number(file), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failures }) => failures.length) + Number(fixturesFailed),
    skipped: sum(({ skipped }) => skipped),
  };
}

/** The last line of a run, which other programs read. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** One line that says what failed. */
export function failureLine({ file }: FileOutcome, { title, message }: Failure): string {
  return `${shownPath(file)}: ${title}: ${message.split('\n')[0]}`;
}

/** The path of a test file as people write it, relative to the folder that the run was started in. */
export function shownPath(file: string | null): string {
  return file === null ? 'outside every file' : relative(cwd(), file);
}
