import type { FieldError } from '../errors.ts';
import type { AttemptProgress } from '../executor/attempt-progress.ts';
import type { Attempt, AttemptReport, Executor, OutputStream } from '../executor/executor.ts';
import type { Clock } from '../loop/clock.ts';
import { readOptions } from '../records/plugin-options.ts';
import { assert, type Clause } from './clause.ts';

/** A program as the executor under test names it: what `executable` and `arguments` mean is the executor's affair. */
export type TestProgram = Pick<Attempt, 'executable' | 'arguments'>;

/** The programs that the suite runs. The author provides them, because only the executor knows what a program is. */
export interface TestPrograms {
  /** Ends with exit code 0. */
  readonly succeeds: TestProgram;
  /** Ends with exit code 3. */
  readonly fails: TestProgram;
  /** Writes `out` to stdout and `err` to stderr, nothing else, and ends with exit code 0. */
  readonly writes: TestProgram;
  /** Writes at least a mebibyte to stdout. */
  readonly writesMebibyte: TestProgram;
  /** Runs until it is stopped. */
  readonly runsUntilStopped: TestProgram;
  /** Does not exist. */
  readonly missing: TestProgram;
  /** Writes its stdin to stdout, nothing else, and ends with exit code 0. Left out only with the trait passesStdin: false. */
  readonly echoesStdin?: TestProgram;
  /**
   * Writes the value of the environment variable `GREETING` to stdout, nothing else, and ends with exit code 0. Left out
   * only with the trait passesEnvironment: false.
   */
  readonly writesGreeting?: TestProgram;
  /**
   * Writes the content of the file whose path is its last argument to stdout, nothing else, and ends with exit code 0; the
   * suite adds that argument. Left out without the trait takesFiles.
   */
  readonly writesFile?: TestProgram;
  /** Reports a progress of 40 with the message `half way`, and runs until it is stopped. Left out without the trait reportsProgress. */
  readonly reportsProgress?: TestProgram;
}

export interface ExecutorUnderTest {
  readonly executor: Executor;
  readonly programs: TestPrograms;
  /** The `executor_options` of every attempt, which must have those that the executor requires. @default none */
  readonly options?: Attempt['options'];
}

/** Properties in which executors may differ. */
export interface ExecutorTraits {
  /** Programs have one stream for all they write; the executor reports it as stdout. @default false */
  readonly mergesStderr?: boolean;
  /** Whether the executor has `close`; the clause about it is left out for one that owns nothing to close. @default true */
  readonly closes?: boolean;
  /** Whether programs can read a stdin, unlike an HTTP probe, for example; the clause about it is left out if not. @default true */
  readonly passesStdin?: boolean;
  /** Whether programs can read environment variables; the clause about them is left out if not. @default true */
  readonly passesEnvironment?: boolean;
  /** Whether programs can outlive this process, so that the executor has `keepAlive`; its clause is left out if not. @default false */
  readonly keepsAlive?: boolean;
  /** Whether attempts are given files; the clause about them is left out if not. @default false */
  readonly takesFiles?: boolean;
  /** Whether programs can report their progress to the executor; the clause about it is left out if not. @default false */
  readonly reportsProgress?: boolean;
}

/** Returns an attempt to run a program, without input, environment, timeout, options or files to store. */
export function attemptOf(program: Partial<Attempt>): Attempt {
  return {
    jobId: 1,
    executable: 'true',
    arguments: [],
    stdin: null,
    environment: {},
    timeout: null,
    options: {},
    runAs: null,
    image: null,
    resultFile: null,
    artifacts: [],
    ...program,
  };
}

/**
 * The contract of every executor that runs programs itself, clause by clause. Each check gets an executor of its own, so
 * that one that fails does not affect the others:
 * `for (const { title, check } of executorContract(() => ({ executor: mine(), programs }), clock)) it(title, check)`.
 * @param make returns a new executor for each check, which closes it afterwards.
 * @param clock tells the same time as the executor.
 */
export function executorContract(
  make: () => Promise<ExecutorUnderTest> | ExecutorUnderTest,
  clock: Clock,
  traits: ExecutorTraits = {},
): readonly Clause[] {
  const {
    closes = true,
    passesStdin = true,
    passesEnvironment = true,
    keepsAlive,
    takesFiles,
    reportsProgress,
  } = traits;
  const applicable: Checks = {
    ...checks,
    ...(passesStdin && stdinChecks),
    ...(passesEnvironment && environmentChecks),
    ...(keepsAlive && keepAliveChecks),
    ...(takesFiles && fileChecks),
    ...(reportsProgress && progressChecks),
    ...(closes && closeChecks),
  };
  return Object.entries(applicable).map(([title, check]) => ({
    title,
    async check() {
      const { executor, programs, options = {} } = await make();
      const start: Start = (program, report) =>
        executor.start(attemptOf({ options, ...program }), { started() {}, output() {}, ...report });
      try {
        requireValid(executor, options);
        await check({ start, programs, executor, clock, traits });
      } finally {
        await executor.close?.();
      }
    },
  }));
}

/** Checks the options of the attempts as a save of a template does. @throws Error naming each that is wrong. */
function requireValid({ name, options: fields }: Executor, given: Attempt['options']): void {
  const errors: FieldError[] = [];
  readOptions([], fields, given, `the executor ${name}`, errors);
  const sentence = errors.map(({ message }) => message).join('; ');
  assert(errors.length === 0, `The fixture must give the options of the executor ${name}, as options: ${sentence}`);
}

/** Starts an attempt whose reports are ignored, except for those that a check reads itself. */
type Start = (program: Partial<Attempt>, report?: Partial<AttemptReport>) => ReturnType<Executor['start']>;

interface CheckContext extends ExecutorUnderTest {
  readonly start: Start;
  readonly clock: Clock;
  readonly traits: ExecutorTraits;
}

type Checks = Readonly<Record<string, (context: CheckContext) => Promise<void>>>;

const checks: Checks = {
  async 'reports the start of a program once, and its result'({ start, programs, clock }) {
    let starts = 0;
    const before = clock.now();
    const result = await start(programs.succeeds, { started: () => void starts++ }).done;
    const { exitCode, signal, timedOut, reason, finishedAt } = result;
    const succeeded = exitCode === 0 && signal === null && !timedOut && reason === null;
    assert(succeeded, 'A program that succeeds must end with exit code 0, no signal and no reason', result);
    assert(
      finishedAt >= before && finishedAt <= clock.now(),
      'finishedAt must be the time at which the program ended',
      finishedAt,
    );
    assert(starts === 1, 'started must be reported once', starts);
  },

  async 'returns the exit code of a program that fails'({ start, programs }) {
    const result = await start(programs.fails).done;
    const { exitCode, signal, timedOut } = result;
    const failed = exitCode === 3 && signal === null && !timedOut;
    assert(failed, 'A program that fails must end with its exit code 3', result);
  },

  async 'returns exit code 127 and a reason for a program that is missing'({ start, programs: { missing } }) {
    let starts = 0;
    const { exitCode, reason } = await start(missing, { started: () => void starts++ }).done;
    assert(exitCode === 127, 'A program that is missing must end with exit code 127', exitCode);
    assert(reason?.includes(missing.executable) === true, 'The reason must name the program that is missing', reason);
    assert(starts === 0, 'A program that is missing must not be reported as started', starts);
  },

  async 'delivers all output, each stream as such, before the attempt is done'({ start, programs, clock, traits }) {
    const received: Record<OutputStream, string> = { stdout: '', stderr: '' };
    const output = async (stream: OutputStream, bytes: Uint8Array) => {
      await clock.sleep(1);
      received[stream] += new TextDecoder().decode(bytes);
    };
    await start(programs.writes, { output }).done;
    const { stdout, stderr } = received;
    const isComplete = traits.mergesStderr
      ? stderr === '' && ['outerr', 'errout'].includes(stdout)
      : stdout === 'out' && stderr === 'err';
    assert(isComplete, 'All output must arrive, each chunk on its own stream', received);
  },

  async 'delivers one chunk of output at a time, so that a slow receiver slows the program'({
    start,
    programs,
    clock,
  }) {
    let pending = 0;
    let maxPending = 0;
    let size = 0;
    const output = async (_stream: OutputStream, bytes: Uint8Array) => {
      maxPending = Math.max(maxPending, ++pending);
      size += bytes.length;
      await clock.sleep(1);
      pending--;
    };
    await start(programs.writesMebibyte, { output }).done;
    assert(size >= 1024 * 1024, 'All output must arrive', `${size} bytes`);
    assert(maxPending === 1, 'A chunk of output must be delivered after the one before was received', maxPending);
  },

  async 'returns why output could not be stored, beside the exit code'({ start, programs }) {
    const output = () => Promise.reject(new Error('The disk is full.'));
    const { exitCode, reason } = await start(programs.writes, { output }).done;
    assert(exitCode === 0, 'The exit code must be that of the program', exitCode);
    assert(reason?.includes('The disk is full.') === true, 'The reason must be why output was not stored', reason);
  },

  async 'stops an attempt for the first reason given, and ignores further calls of stop'({ start, programs }) {
    const running = start(programs.runsUntilStopped, {
      started: () => {
        running.stop('It is not needed.');
        running.stop('It is really not needed.');
      },
    });
    const result = await running.done;
    const stopped = !result.timedOut && result.exitCode !== 0 && result.reason === 'It is not needed.';
    assert(stopped, 'A stopped attempt must end with the first reason given, and not with exit code 0', result);
    running.stop('It is over already.');
    assert((await running.done) === result, 'Stopping an attempt that has ended must change nothing');
  },

  async 'stops an attempt whose start it has not reported yet'({ start, programs }) {
    const running = start(programs.runsUntilStopped);
    running.stop('It was a mistake.');
    const { reason } = await running.done;
    assert(reason === 'It was a mistake.', 'A stopped attempt must end with the reason given', reason);
  },

  async 'stops an attempt at its timeout, and names the timeout in the reason'({ start, programs }) {
    const { timedOut, reason } = await start({ ...programs.runsUntilStopped, timeout: 50 }).done;
    assert(timedOut, 'An attempt that exceeds its timeout must end as timed out');
    assert(reason?.includes('0.05 s') === true, 'The reason must name the timeout', reason);
  },

  async 'runs 50 attempts at once'({ start, programs }) {
    const results = await Promise.all(Array.from({ length: 50 }, () => start(programs.fails).done));
    const codes = results.map(({ exitCode }) => exitCode);
    const failed = codes.every((code) => code === 3);
    assert(failed, 'Each of 50 attempts must end with its own exit code', codes);
  },
};

/** A text that arrives as it is only where no shell expands it, nothing is trimmed and the encoding is UTF-8. */
const verbatim = ' two  words, "$HOME" \\n \'ß€\'\nlast line \n';

/** Runs a program. @returns what it wrote to stdout. */
async function stdoutOf(start: Start, program: Partial<Attempt>): Promise<string> {
  const decoder = new TextDecoder();
  let stdout = '';
  const output = (stream: OutputStream, bytes: Uint8Array) => {
    if (stream === 'stdout') stdout += decoder.decode(bytes, { stream: true });
  };
  await start(program, { output }).done;
  return stdout + decoder.decode();
}

/** The checks of executors whose programs can read a stdin. */
const stdinChecks: Checks = {
  async 'gives a program the stdin of its attempt'({ start, programs: { echoesStdin } }) {
    assert(
      echoesStdin !== undefined,
      'The programs must include echoesStdin, or the executor be tested with the trait passesStdin: false',
    );
    const stdout = await stdoutOf(start, { ...echoesStdin, stdin: verbatim });
    assert(stdout === verbatim, 'A program must read the stdin of its attempt', stdout);
  },
};

/** The checks of executors whose programs can read environment variables. */
const environmentChecks: Checks = {
  async 'gives a program the environment of its attempt'({ start, programs: { writesGreeting } }) {
    assert(
      writesGreeting !== undefined,
      'The programs must include writesGreeting, or the executor be tested with the trait passesEnvironment: false',
    );
    const stdout = await stdoutOf(start, { ...writesGreeting, environment: { GREETING: verbatim } });
    assert(stdout === verbatim, 'A program must read the environment variables of its attempt', stdout);
  },
};

/** The checks of executors whose attempts are given files. */
const fileChecks: Checks = {
  async 'gives a program the files of its attempt, by their paths in place of their marks'({
    start,
    programs,
    executor,
  }) {
    const { writesFile } = programs;
    assert(executor.takesFiles === true, 'An executor with the trait takesFiles must set takesFiles');
    assert(writesFile !== undefined, 'The programs must include writesFile with the trait takesFiles');
    const bytes = new TextEncoder().encode(verbatim);
    const pieces = async function* () {
      yield bytes.subarray(0, 5);
      yield bytes.subarray(5);
    };
    const files = [1, 2].map((id) => ({ mark: `@file:${id}/given.txt`, content: pieces }));
    for (const { mark } of files) {
      const stdout = await stdoutOf(start, { ...writesFile, arguments: [...writesFile.arguments, mark], files });
      assert(stdout === verbatim, 'A program must read the files of its attempt', stdout);
    }
  },

  async 'does not start a program whose files cannot be read, and says so'({ start, programs }) {
    // biome-ignore lint/correctness/useYield: it fails before the first piece.
    const content = async function* (): AsyncGenerator<Uint8Array> {
      throw new Error('There is no Artifact 7.');
    };
    let starts = 0;
    const files = [{ mark: '@file:7/given.txt', content }];
    const { exitCode, reason } = await start({ ...programs.succeeds, files }, { started: () => void starts++ }).done;
    const refused = exitCode === 126 && starts === 0 && reason?.includes('There is no Artifact 7.') === true;
    assert(refused, 'An attempt whose files cannot be read must end with exit code 126 and the reason', reason);
  },
};

/** The checks of executors whose programs report their progress. */
const progressChecks: Checks = {
  async 'reports the progress of a program while it runs'({ start, programs: { reportsProgress } }) {
    assert(reportsProgress !== undefined, 'The programs must include reportsProgress with the trait reportsProgress');
    const reported: AttemptProgress[] = [];
    const running = start(reportsProgress, {
      progress: (progress) => {
        reported.push(progress);
        running.stop('It is not needed.');
      },
    });
    await running.done;
    const [first] = reported;
    assert(
      first?.progress === 40 && first.message === 'half way',
      'The progress of a program must be reported',
      reported,
    );
  },
};

/** The checks of executors that have `keepAlive`. */
const keepAliveChecks: Checks = {
  async 'lets an attempt run on when the lease is renewed'({ start, programs, executor }) {
    assert(executor.keepAlive !== undefined, 'An executor with the trait keepsAlive must have keepAlive');
    executor.keepAlive(60_000);
    const running = start(programs.runsUntilStopped, {
      started: () => {
        executor.keepAlive?.(60_000);
        running.stop('It is not needed.');
      },
    });
    const { reason } = await running.done;
    assert(reason === 'It is not needed.', 'An attempt must run on when the lease is renewed', reason);
  },
};

/** The checks of executors that have `close`. */
const closeChecks: Checks = {
  async 'ends every attempt when it is closed, and starts none afterwards'({ start, programs, executor }) {
    assert(executor.close !== undefined, 'An executor must have close, or be tested with the trait closes: false');
    const running = start(programs.runsUntilStopped);
    await executor.close();
    assert((await running.done).reason !== null, 'An attempt that runs at the close must end with a reason');
    const { exitCode, reason } = await start(programs.succeeds).done;
    const refused = exitCode === 126 && reason !== null;
    assert(refused, 'An attempt that is started after the close must end with exit code 126 and a reason', exitCode);
  },
};
