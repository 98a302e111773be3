import {
  type AttemptResult,
  count,
  defineFunction,
  FunctionExecutor,
  flag,
  functions,
  type JobFunction,
  json,
  systemClock,
  text,
} from '@horarium/core';
import { attemptOf, executorContract } from '@horarium/core/contracts';
import { expect } from 'chai';
import { mixed } from 'yup';
import { HostClock, VirtualTime } from '../../support/clocks/virtual-time.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

/** Runs a function as an attempt. @returns its result, and what it wrote to each stream. */
async function run(run: JobFunction, attempt: Parameters<typeof attemptOf>[0] = {}) {
  const written = { stdout: '', stderr: '' };
  const executor = functions({ run });
  const report = {
    started() {},
    output: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => {
      written[stream] += new TextDecoder().decode(bytes);
    },
  };
  const result = await executor.start(attemptOf({ executable: 'run', ...attempt }), report).done;
  return { ...result, ...written };
}

describe('The executor of functions', () => {
  const program = (executable: string) => ({ executable, arguments: [] });
  const examples: Readonly<Record<string, JobFunction>> = {
    succeeds: () => undefined,
    async fails() {
      throw Object.assign(new Error('It failed.'), { exitCode: 3 });
    },
    async writes({ write }) {
      await write('out');
      await write('err', 'stderr');
    },
    async writesMebibyte({ write }) {
      for (let pieces = 0; pieces < 16; pieces++) void write('x'.repeat(65_536));
    },
    runsUntilStopped: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    echoesStdin: ({ stdin, write }) => write(stdin ?? ''),
    writesGreeting: ({ environment, write }) => write(environment.GREETING ?? ''),
    reportsProgress: ({ signal, progress }) => {
      progress(40, 'half way');
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const programs = {
    succeeds: program('succeeds'),
    fails: program('fails'),
    writes: program('writes'),
    writesMebibyte: program('writesMebibyte'),
    runsUntilStopped: program('runsUntilStopped'),
    missing: program('missing'),
    echoesStdin: program('echoesStdin'),
    writesGreeting: program('writesGreeting'),
    reportsProgress: program('reportsProgress'),
  };
  defineContractTests(
    executorContract(() => ({ executor: functions(examples), programs }), systemClock, { reportsProgress: true }),
  );

  it('gives a function its job, arguments, standard input, environment and timeout', async () => {
    const given = { jobId: 7, arguments: ['a b'], stdin: 'text', environment: { PLACE: 'here' }, timeout: 1000 };
    let received: object = {};
    await run(({ signal: _signal, log: _log, write: _write, progress: _progress, ...rest }) => {
      received = rest;
    }, given);
    expect(received).to.deep.equal(given);
  });

  it('fails a job with the message of the error, and writes its stack to stderr', async () => {
    const result = await run(() => {
      throw new TypeError('The scales are broken.');
    });
    expect(result).to.include({ exitCode: 1, reason: 'The scales are broken.', stdout: '' });
    expect(result.stderr).to.match(/^TypeError: The scales are broken\.\n {4}at .*function-executor\.test/);
  });

  it('fails a job with what was thrown in place of an error', async () => {
    expect(await run(() => Promise.reject('no stock'))).to.include({ exitCode: 1, reason: 'no stock', stderr: '' });
  });

  it('takes no exit code that means success from an error', async () => {
    for (const exitCode of [0, -1, 1.5, '3'])
      expect((await run(() => Promise.reject(Object.assign(new Error('x'), { exitCode })))).exitCode).to.equal(1);
  });

  it('ignores what a function returns, such as the number of rows that it deleted', async () => {
    expect(await run(async () => 42)).to.include({ exitCode: 0, reason: null });
  });

  it('writes lines and texts in the order in which the function wrote them, awaited or not', async () => {
    const result = await run(({ log, write }) => {
      void log('one');
      void write('two');
      void log(', three');
    });
    expect(result.stdout).to.equal('one\ntwo, three\n');
  });

  describe('in virtual time', () => {
    const time = new VirtualTime(0);
    const executor = functions({}, { clock: new HostClock(time, 0), grace: 5000 });
    let ended: AttemptResult | undefined;
    const start = (name: string, timeout: number | null) => {
      ended = undefined;
      const handle = executor.start(attemptOf({ executable: name, timeout }), { started() {}, output() {} });
      void handle.done.then((result) => {
        ended = result;
      });
      return handle;
    };

    it('aborts the signal with a TimeoutError at the timeout', async () => {
      const reasons: Error[] = [];
      const untilStopped: JobFunction = ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          }),
        );
      executor.add('untilStopped', untilStopped);
      start('untilStopped', 60_000);
      await time.pass(59_999);
      expect(ended).to.equal(undefined);
      await time.pass(1);
      expect(reasons.map(({ name }) => name)).to.deep.equal(['TimeoutError']);
      expect(ended).to.include({ timedOut: true, exitCode: null, reason: 'took longer than 60 s', finishedAt: 60_000 });
    });

    it('ends the job of a function that ignores its signal after the grace, and says that it still runs', async () => {
      executor.add('neverEnds', () => new Promise(() => {}));
      const handle = start('neverEnds', null);
      await time.pass(1);
      handle.stop('it is not needed');
      await time.pass(4999);
      expect(ended).to.equal(undefined);
      await time.pass(1);
      const reason = 'it is not needed (the function ignores its signal and still runs)';
      expect(ended).to.include({ exitCode: null, timedOut: false, reason });
    });
  });

  it('rejects a second function of the same name, and accepts the same one again', () => {
    const executor = new FunctionExecutor({});
    const work = () => undefined;
    executor.add('work', work);
    executor.add('work', work);
    expect(() => executor.add('work', () => undefined)).to.throw('There is another function work already.');
  });
});

describe('A function with a described environment', () => {
  const fields = {
    SHELF: text(10).required(),
    MIN_STOCK: count(5),
    DRY_RUN: flag(false),
    PRICES: json(mixed<Readonly<Record<string, number>>>().required(), {}),
    NOTE: text(100),
  };
  const valuesOf = async (environment: Readonly<Record<string, string>>) => {
    let values: unknown;
    const work = defineFunction({
      environment: fields,
      run: (attempt) => {
        const { SHELF, MIN_STOCK, DRY_RUN }: { SHELF: string; MIN_STOCK: number; DRY_RUN: boolean } = attempt.values;
        values = { ...attempt.values, SHELF, MIN_STOCK, DRY_RUN };
      },
    });
    const { reason } = await run(work, { environment });
    return reason ?? values;
  };

  it('gets its variables as values of their types, with defaults for those that are unset or empty', async () => {
    const environment = { SHELF: '7', MIN_STOCK: '12', DRY_RUN: 'yes', PRICES: '{"tea":3}', OTHER: 'x' };
    const typed = { SHELF: '7', MIN_STOCK: 12, DRY_RUN: true, PRICES: { tea: 3 }, NOTE: null };
    expect(await valuesOf(environment)).to.deep.equal(typed);
    const defaults = { SHELF: 'a', MIN_STOCK: 5, DRY_RUN: false, PRICES: {}, NOTE: null };
    expect(await valuesOf({ SHELF: 'a', MIN_STOCK: '' })).to.deep.equal(defaults);
  });

  it('is not called without its required variables or with values of other types; its job fails with their names', async () => {
    expect(await valuesOf({ MIN_STOCK: 'many', DRY_RUN: 'perhaps' })).to.equal(
      'The environment is invalid: SHELF has no value; MIN_STOCK must be a number; DRY_RUN must be true or false',
    );
  });
});
