import type { Attempt, AttemptReport, Executor, OutputStream } from '../executor/executor.ts';
import type { Clock } from '../loop/clock.ts';
import { assert, type Clause } from './clause.ts';

/** A program of the kind the executor runs. */
type Program = Pick<Attempt, 'executable' | 'arguments'>;

export interface ExecutorUnderTest {
  readonly executor: Executor;
  readonly programs: {
    readonly succeeds: Program;
    /** Ends with exit code 3. */
    readonly fails: Program;
    /** Writes `out` to stdout and `err` to stderr, nothing else. */
    readonly writes: Program;
    /** Writes at least a mebibyte to stdout. */
    readonly writesMuch: Program;
    /** Runs until it is stopped. */
    readonly runsOn: Program;
    readonly isMissing: Program;
  };
}

/** Properties in which executors may differ. */
export interface ExecutorTraits {
  /** Programs have one stream for all they write; the executor reports it as stdout. @default false */
  readonly mergesStderr?: boolean;
}

type Programs = ExecutorUnderTest['programs'];
type Start = (program: Partial<Attempt>, report?: Partial<AttemptReport>) => ReturnType<Executor['start']>;

/** An attempt at that program, with nothing else set. */
export function attemptOf(program: Partial<Attempt>): Attempt {
  return {
    jobId: 1,
    executable: 'true',
    arguments: [],
    stdin: null,
    environment: {},
    timeout: null,
    options: {},
    resultFile: null,
    artifacts: [],
    ...program,
  };
}

/**
 * The promises of every executor that runs programs itself.
 * @param make creates a new executor each time; it is closed afterwards.
 */
export function executorContract(
  make: () => Promise<ExecutorUnderTest> | ExecutorUnderTest,
  clock: Clock,
  traits: ExecutorTraits = {},
): readonly Clause[] {
  return Object.entries(promises).map(([sentence, check]) => ({
    sentence,
    async check() {
      const { executor, programs } = await make();
      const start: Start = (program, report) =>
        executor.start(attemptOf(program), { started() {}, output() {}, ...report });
      try {
        await check({ start, programs, executor, clock, traits });
      } finally {
        await executor.close?.();
      }
    },
  }));
}

interface Scene {
  readonly start: Start;
  readonly programs: Programs;
  readonly executor: Executor;
  readonly clock: Clock;
  readonly traits: ExecutorTraits;
}

const promises: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'reports that a program started and how it ended'({ start, programs, clock }) {
    let started = 0;
    const before = clock.now();
    const result = await start(programs.succeeds, { started: () => void started++ }).done;
    const { exitCode, signal, timedOut, reason, finishedAt } = result;
    const well = exitCode === 0 && signal === null && !timedOut && reason === null;
    assert(well, 'A program that succeeds must end with exit code 0, no signal and no reason', result);
    assert(finishedAt >= before && finishedAt <= clock.now(), 'finishedAt must be when it ended', finishedAt);
    assert(started === 1, 'started must be reported once', started);
  },

  async 'hands on the exit code of a program that failed'({ start, programs }) {
    const result = await start(programs.fails).done;
    const { exitCode, signal, timedOut } = result;
    assert(
      exitCode === 3 && signal === null && !timedOut,
      'A program that fails must end with its exit code 3',
      result,
    );
  },

  async 'answers 127 and names the program where there is none'({ start, programs: { isMissing } }) {
    let started = 0;
    const { exitCode, reason } = await start(isMissing, { started: () => void started++ }).done;
    assert(exitCode === 127, 'A program that is missing must end with exit code 127', exitCode);
    assert(reason?.includes(isMissing.executable) === true, 'The reason must name the program that is missing', reason);
    assert(started === 0, 'A program that is missing must not be reported as started', started);
  },

  async 'has handed over all output, to the right streams, when it is done'({ start, programs, clock, traits }) {
    const output: Record<OutputStream, string> = { stdout: '', stderr: '' };
    const take = async (stream: OutputStream, bytes: Uint8Array) => {
      await clock.sleep(1);
      output[stream] += new TextDecoder().decode(bytes);
    };
    await start(programs.writes, { output: take }).done;
    const { stdout, stderr } = output;
    const complete = traits.mergesStderr
      ? stderr === '' && ['outerr', 'errout'].includes(stdout)
      : stdout === 'out' && stderr === 'err';
    assert(complete, 'All output must have come, each to its stream', output);
  },

  async 'waits until a chunk of output was taken before it sends the next'({ start, programs, clock }) {
    let taking = 0;
    let maxTaking = 0;
    let size = 0;
    const take = async (_stream: OutputStream, piece: Uint8Array) => {
      maxTaking = Math.max(maxTaking, ++taking);
      size += piece.length;
      await clock.sleep(1);
      taking--;
    };
    await start(programs.writesMuch, { output: take }).done;
    assert(size >= 1024 * 1024, 'All output must have come', `${size} bytes`);
    assert(maxTaking === 1, 'One chunk of output at a time must be on its way', maxTaking);
  },

  async 'says in the result that output could not be taken'({ start, programs }) {
    const output = () => Promise.reject(new Error('The disk is full.'));
    const { exitCode, reason } = await start(programs.writes, { output }).done;
    assert(exitCode === 0, 'The exit code must be that of the program', exitCode);
    assert(reason?.includes('The disk is full.') === true, 'The reason must say why output could not be taken', reason);
  },

  async 'stops an attempt, however often it is asked to'({ start, programs }) {
    const running = start(programs.runsOn, {
      started: () => {
        running.stop('It is not needed.');
        running.stop('It is really not needed.');
      },
    });
    const result = await running.done;
    const stopped = !result.timedOut && result.exitCode !== 0 && result.reason === 'It is not needed.';
    assert(stopped, 'A stopped attempt must end with the reason it was first given, and not with 0', result);
    running.stop('It is over already.');
    assert((await running.done) === result, 'Stopping what has ended must change nothing');
  },

  async 'stops an attempt that has only just been started'({ start, programs }) {
    const running = start(programs.runsOn);
    running.stop('It was a mistake.');
    const { reason } = await running.done;
    assert(reason === 'It was a mistake.', 'A stopped attempt must end with the reason it was given', reason);
  },

  async 'stops an attempt at its timeout and says so'({ start, programs }) {
    const { timedOut, reason } = await start({ ...programs.runsOn, timeout: 50 }).done;
    assert(timedOut, 'An attempt that takes too long must end as timed out');
    assert(reason?.includes('0.05 s') === true, 'The reason must tell how long it was allowed to take', reason);
  },

  async 'runs many attempts at once'({ start, programs }) {
    const results = await Promise.all(Array.from({ length: 50 }, () => start(programs.fails).done));
    const codes = results.map(({ exitCode }) => exitCode);
    assert(
      codes.every((code) => code === 3),
      'Each of 50 attempts must end with its own exit code',
      codes,
    );
  },

  async 'ends everything when it is closed, and starts nothing afterwards'({ start, programs, executor }) {
    if (!executor.close) return;
    const running = start(programs.runsOn);
    await executor.close();
    assert((await running.done).reason !== null, 'What was running must end with a reason');
    const { exitCode, reason } = await start(programs.succeeds).done;
    assert(exitCode === 126 && reason !== null, 'What is started afterwards must end with 126 and a reason', exitCode);
  },
};
