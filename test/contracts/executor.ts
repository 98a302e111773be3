import type { Attempt, AttemptReport, Executor, OutputStream } from '@horarium/core/plugin';
import { expect } from 'chai';

/** A program of the kind the executor runs. */
type Program = Pick<Attempt, 'executable' | 'arguments'>;

interface ExecutorUnderTest {
  readonly executor: Executor;
  readonly programs: {
    readonly succeeds: Program;
    /** Ends with exit code 3. */
    readonly fails: Program;
    /** Writes `out` to stdout, `err` to stderr, no more. */
    readonly writes: Program;
    /** Writes at least a mebibyte to stdout. */
    readonly writesMuch: Program;
    /** Runs until it is stopped. */
    readonly runsOn: Program;
    readonly isMissing: Program;
  };
}

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

/** What every executor that runs programs by itself must do. */
export function executorContract(name: string, make: () => Promise<ExecutorUnderTest> | ExecutorUnderTest): void {
  describe(`${name} as an executor`, () => {
    let tested: ExecutorUnderTest;
    const start = (program: Partial<Attempt>, report: Partial<AttemptReport> = {}) =>
      tested.executor.start(attemptOf(program), { started() {}, output() {}, ...report });

    before(async () => {
      tested = await make();
    });
    after(async () => {
      await tested.executor.close?.();
    });

    it('tells that a program started and how it ended', async () => {
      let started = 0;
      const before = Date.now();
      const outcome = await start(tested.programs.succeeds, { started: () => void started++ }).done;
      expect(outcome).to.include({ exitCode: 0, signal: null, timedOut: false, reason: null });
      expect(outcome.finishedAt).to.be.within(before, Date.now());
      expect(started).to.equal(1);
    });

    it('hands on the exit code of a program that failed', async () => {
      expect(await start(tested.programs.fails).done).to.include({ exitCode: 3, signal: null, timedOut: false });
    });

    it('answers 127 and names the program where there is none', async () => {
      let started = 0;
      const outcome = await start(tested.programs.isMissing, { started: () => void started++ }).done;
      expect(outcome.exitCode).to.equal(127);
      expect(outcome.reason).to.contain(tested.programs.isMissing.executable);
      expect(started).to.equal(0);
    });

    it('has handed over all output, to the right streams, when it is done', async () => {
      const output: Record<OutputStream, string> = { stdout: '', stderr: '' };
      const take = async (stream: OutputStream, bytes: Uint8Array) => {
        await new Promise(setImmediate);
        output[stream] += Buffer.from(bytes).toString();
      };
      await start(tested.programs.writes, { output: take }).done;
      expect(output).to.deep.equal({ stdout: 'out', stderr: 'err' });
    });

    it('waits until a piece of output was taken before it sends the next', async () => {
      let taking = 0;
      let most = 0;
      let bytes = 0;
      const take = async (_stream: OutputStream, piece: Uint8Array) => {
        most = Math.max(most, ++taking);
        bytes += piece.length;
        await new Promise(setImmediate);
        taking--;
      };
      await start(tested.programs.writesMuch, { output: take }).done;
      expect(bytes).to.be.at.least(1024 * 1024);
      expect(most).to.equal(1);
    });

    it('says in the outcome that output could not be taken', async () => {
      const outcome = await start(tested.programs.writes, {
        output: () => Promise.reject(new Error('The disk is full.')),
      }).done;
      expect(outcome).to.include({ exitCode: 0 });
      expect(outcome.reason).to.contain('The disk is full.');
    });

    it('stops an attempt, however often it is told to', async () => {
      const running = start(tested.programs.runsOn, {
        started: () => {
          running.stop('Nobody needs it.');
          running.stop('Really nobody.');
        },
      });
      const outcome = await running.done;
      expect(outcome).to.include({ timedOut: false, reason: 'Nobody needs it.' });
      expect(outcome.exitCode).to.not.equal(0);
      running.stop('It is over already.');
      expect(await running.done).to.equal(outcome);
    });

    it('stops an attempt that was only just asked for', async () => {
      const running = start(tested.programs.runsOn);
      running.stop('It was a mistake.');
      expect(await running.done).to.include({ reason: 'It was a mistake.' });
    });

    it('stops an attempt at its timeout and says so', async () => {
      const outcome = await start({ ...tested.programs.runsOn, timeout: 50 }).done;
      expect(outcome.timedOut).to.equal(true);
      expect(outcome.reason).to.contain('0.05 s');
    });

    it('runs many attempts at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => start(tested.programs.fails).done));
      expect(outcomes.map((outcome) => outcome.exitCode)).to.deep.equal(Array(50).fill(3));
    });

    it('ends everything when it is closed, and starts nothing afterwards', async () => {
      const own = await make();
      const running = own.executor.start(attemptOf(own.programs.runsOn), { started() {}, output() {} });
      await own.executor.close?.();
      expect((await running.done).reason).to.be.a('string');
      const late = await own.executor.start(attemptOf(own.programs.succeeds), { started() {}, output() {} }).done;
      expect(late.exitCode).to.equal(126);
      expect(late.reason).to.be.a('string');
    });
  });
}
